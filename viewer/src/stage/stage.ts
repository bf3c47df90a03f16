// The 3-D view: all that is drawn of one scene, light and shadow, and the drawing loop. It draws only when something
// has changed, and with fewer pixels where drawing is slow.
import {
  BasicShadowMap, Box3, Color, DirectionalLight, Group, HemisphereLight, type Intersection, PCFShadowMap, Raycaster,
  Scene as World, Vector2, Vector3, WebGLRenderer,
} from 'three';
import type { Frame, Scene } from '../run/data';
import { Bodies } from './bodies';
import { Contacts } from './contacts';
import { Ground } from './ground';
import { Marks } from './marks';
import { SURROUNDINGS, type Theme } from './palette';
import { BodyPoses } from './poses';
import { PushBand } from './push_band';
import { CameraRig, type Preset } from './camera_rig';

const SLOW = 1 / 33;   // s per frame; above it, fewer pixels are drawn
const QUICK = 1 / 55;  // s per frame; below it, more pixels are drawn
const FEWEST_PIXELS = 0.4;
const LAGGING = 4;     // a shadow is drawn at least every so many frames
const REST = 0.3;      // s without a change, after which a still picture is drawn in the best quality

export class Stage {
  readonly poses: BodyPoses;
  readonly contacts: Contacts;
  readonly marks: Marks;
  readonly ground: Ground;
  readonly rig: CameraRig;
  readonly band: PushBand;
  readonly extent: number;    // m, radius of a sphere about all bodies at the start
  selected = -1;
  hovered = -1;
  followed = -1;
  framesPerSecond = 0;
  draws = 0;
  private readonly renderer: WebGLRenderer;
  private readonly world = new World();
  private readonly bodies: Bodies;
  private readonly sun = new DirectionalLight('#fff6e8');
  private readonly hemisphere = new HemisphereLight();
  private readonly raycaster = new Raycaster();
  private frame: Frame | undefined;
  private dirty = true;
  private pixels = drawsInSoftware() ? 0.7 : 1; // share of the full resolution that is quick enough during motion
  private resolution = 1; // share of the full resolution in use
  private drawTime = SLOW;
  private drawnInARow = 0;
  private shadowEvery = drawsInSoftware() ? 2 : 1; // frames per update of the shadows
  private shadowAge = 0;
  private shadows = true; // during motion; switched off when drawing is slow even with the fewest pixels
  private rested = 0; // s without a change
  private readonly finest = drawsInSoftware() ? 2 : 1; // resolution of a still picture; 2 smooths its edges

  constructor(
    readonly canvas: HTMLCanvasElement, private readonly scene: Scene, first: Frame, last: Frame,
    tick: (seconds: number) => void,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: !drawsInSoftware(), powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.shadowMap.type = drawsInSoftware() ? BasicShadowMap : PCFShadowMap;

    const solids = new Group();
    const marks = new Group();
    this.world.add(solids, marks, this.sun, this.sun.target, this.hemisphere);
    this.poses = new BodyPoses(scene.bodies.length);
    this.poses.set(first, undefined, 0);
    this.bodies = new Bodies(scene, solids);
    const size = this.typicalSize();
    const box = this.bounds();
    const radius = (of: Box3): number => of.getSize(new Vector3()).length() / 2;
    this.extent = box.isEmpty() ? 1 : Math.max(radius(box), 1e-3);
    this.poses.set(last, undefined, 0);
    const both = this.bounds().union(box); // the last frame is in view too, unless it is far away
    const sight = radius(both) < 2 * this.extent ? both : box;
    this.ground = new Ground(scene, solids, this.extent);
    this.contacts = new Contacts(scene, marks, 1.4 * size, this.typicalWeight());
    this.marks = new Marks(scene, marks, size);
    this.band = new PushBand(marks, size);
    this.rig = new CameraRig(canvas, this.extent);
    this.rig.controls.addEventListener('change', () => this.invalidate());
    this.hemisphere.position.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.bias = -0.0008;
    this.sun.shadow.normalBias = 0.01 * size;

    new ResizeObserver(() => this.resize(this.resolution)).observe(canvas.parentElement!);
    this.resize(1);
    this.rig.frame(sight, 'home');
    this.show(first, undefined, 0);
    this.loop(tick);
  }

  show(frame: Frame, next: Frame | undefined, fraction: number): void {
    this.poses.set(frame, next, fraction);
    this.frame = frame;
    this.bodies.update(this.poses);
    this.ground.update(this.poses);
    this.refreshMarks();
    if (this.followed >= 0) this.rig.follow(this.poses.point(this.followed, this.scene.bodies[this.followed].centre));
  }

  // Updates the marks over the bodies, after a change of the menu "Show" or of the selection.
  refreshMarks(): void {
    this.contacts.update(this.frame);
    this.marks.update(this.poses, this.selected);
    this.band.update(this.poses);
    this.invalidate();
  }

  select(body: number): void {
    this.selected = body;
    this.bodies.highlight(this.selected, this.hovered, this.poses);
    this.refreshMarks();
  }

  hover(body: number): void {
    if (body === this.hovered) return;
    this.hovered = body;
    this.bodies.highlight(this.selected, this.hovered, this.poses);
    this.invalidate();
  }

  follow(body: number): void {
    this.followed = body;
    this.rig.follow(null);
    if (body >= 0) this.rig.follow(this.poses.point(body, this.scene.bodies[body].centre));
  }

  look(preset: Preset | null): void {
    const alone = preset === null && this.selected > 0;
    this.rig.frame(alone ? this.bodies.bounds(this.poses, (body) => body === this.selected) : this.bounds(), preset);
    this.invalidate();
  }

  paint(theme: Theme): void {
    const around = SURROUNDINGS[theme];
    this.world.background = new Color(around.sky);
    this.hemisphere.color.set(around.bright);
    this.hemisphere.groundColor.set(around.ground);
    this.hemisphere.intensity = around.hemisphere;
    this.sun.intensity = around.sun;
    this.ground.paint(around);
    this.invalidate();
  }

  // Ray through a point of the window; x and y in pixels.
  aim(x: number, y: number): Raycaster {
    const area = this.canvas.getBoundingClientRect();
    const at = new Vector2(((x - area.left) / area.width) * 2 - 1, 1 - ((y - area.top) / area.height) * 2);
    this.raycaster.setFromCamera(at, this.rig.camera);
    return this.raycaster;
  }

  pick(x: number, y: number): (Intersection & { body: number }) | null {
    return this.bodies.pick(this.aim(x, y));
  }

  // Position of a body's centre of mass in the window, in pixels.
  project(body: number): { x: number; y: number } {
    const at = this.poses.point(body, this.scene.bodies[body].centre).project(this.rig.camera);
    const area = this.canvas.getBoundingClientRect();
    return { x: area.left + ((at.x + 1) / 2) * area.width, y: area.top + ((1 - at.y) / 2) * area.height };
  }

  picture(): Promise<Blob> {
    this.resize(this.finest);
    this.shadowAge = this.shadowEvery;
    this.draw(); // the browser has discarded the last picture after showing it
    return new Promise((resolve, reject) => this.canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error('the browser gave no picture'));
    }, 'image/png'));
  }

  invalidate(): void {
    this.dirty = true;
  }

  private bounds(): Box3 {
    const moving = this.bodies.bounds(this.poses, (body) => body !== 0);
    return moving.isEmpty() ? this.bodies.bounds(this.poses) : moving;
  }

  private typicalSize(): number {
    return median(this.bodies.sizes.filter((size, body) => body > 0 && size > 0)) ?? 0.2;
  }

  private typicalWeight(): number {
    const masses = this.scene.bodies.slice(1).map((body) => body.mass).filter((mass) => mass > 0);
    const g = Math.hypot(...this.scene.gravity);
    return (median(masses) ?? 1) * (g > 0 ? g : 9.81);
  }

  private resize(resolution: number): void {
    this.resolution = resolution;
    const side = drawsInSoftware() && resolution < this.finest ? 512 : 2048; // pixels of the shadow map
    if (this.sun.shadow.mapSize.x !== side) {
      this.sun.shadow.mapSize.set(side, side);
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
      this.shadowAge = this.shadowEvery; // draw the new map at once
    }
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * resolution);
    this.renderer.setSize(width, height, false);
    this.rig.resize(width, height);
    this.invalidate();
  }

  private draw(): void {
    // The shadow map covers the surroundings of the point that the camera looks at.
    const around = this.rig.controls.target;
    const reach = Math.min(2.2 * this.extent, 1.5 * this.rig.camera.position.distanceTo(around));
    this.sun.target.position.copy(around);
    this.sun.position.copy(around).add(new Vector3(0.55, -0.35, 1.25).multiplyScalar(3 * this.extent));
    const lens = this.sun.shadow.camera;
    lens.left = lens.bottom = -reach;
    lens.right = lens.top = reach;
    lens.near = 0.1 * this.extent;
    lens.far = 10 * this.extent;
    lens.updateProjectionMatrix();
    this.renderer.shadowMap.needsUpdate = ++this.shadowAge >= this.shadowEvery;
    if (this.renderer.shadowMap.needsUpdate) this.shadowAge = 0;
    ++this.draws;
    this.renderer.render(this.world, this.rig.camera);
  }

  private loop(tick: (seconds: number) => void): void {
    let before = performance.now();
    const next = (now: number): void => {
      requestAnimationFrame(next);
      const seconds = Math.min(0.25, (now - before) / 1000);
      before = now;
      tick(seconds);
      this.rig.controls.update();
      if (this.dirty) {
        this.rested = 0;
        if (++this.drawnInARow > 2) this.govern(seconds);
      } else {
        this.drawnInARow = 0;
        this.rested += seconds;
        if (this.rested < REST || (this.resolution === this.finest && this.shadowAge === 0)) return;
        this.shadowAge = this.shadowEvery; // a still picture has up-to-date shadows
      }
      const resolution = this.dirty ? this.pixels : this.finest;
      this.sun.castShadow = this.shadows || !this.dirty;
      if (resolution !== this.resolution) this.resize(resolution); // before drawing: it clears the canvas
      this.dirty = false;
      this.draw();
    };
    requestAnimationFrame(next);
  }

  // Keeps drawing quick: reduces the resolution first, then updates shadows less often, then switches them off.
  private govern(seconds: number): void {
    this.drawTime += 0.15 * (seconds - this.drawTime);
    this.framesPerSecond = 1 / this.drawTime;
    if (this.drawnInARow % 12 !== 0) return;
    const slow = this.drawTime > SLOW;
    if (slow && this.shadowEvery === LAGGING) this.shadows = false;
    else if (this.drawTime < QUICK) this.shadows = true;
    if (slow) this.pixels = Math.max(FEWEST_PIXELS, this.pixels * (this.drawTime > 2 * SLOW ? 0.7 : 0.85));
    else if (this.drawTime < QUICK) this.pixels = Math.min(1, this.pixels * 1.1);
    this.shadowEvery = slow && this.pixels === FEWEST_PIXELS ? LAGGING : this.drawTime < QUICK ? 1 : this.shadowEvery;
  }
}

const median = (values: number[]): number | undefined => values.sort((a, b) => a - b)[values.length >> 1];

// Without a graphics card, antialiasing and fine shadows are too slow.
let software: boolean | null = null;
function drawsInSoftware(): boolean {
  if (software === null) {
    const probe = document.createElement('canvas').getContext('webgl2');
    const info = probe?.getExtension('WEBGL_debug_renderer_info');
    const name = probe && info ? String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
    software = /swiftshader|llvmpipe|software/i.test(name);
    probe?.getExtension('WEBGL_lose_context')?.loseContext();
  }
  return software;
}
