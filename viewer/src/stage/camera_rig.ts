// The camera: orbits by mouse, looks from preset directions, frames a box, follows a body. Up is z.
import { Box3, PerspectiveCamera, Sphere, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

export type Preset = 'home' | 'front' | 'back' | 'left' | 'right' | 'top';

const DIRECTIONS: Record<Preset, Vector3> = {
  home: new Vector3(1, -1.35, 0.72),
  front: new Vector3(1, 0, 0.02),
  back: new Vector3(-1, 0, 0.02),
  left: new Vector3(0, 1, 0.02),
  right: new Vector3(0, -1, 0.02),
  top: new Vector3(0, -0.001, 1),
};

export const PRESETS = Object.keys(DIRECTIONS) as Preset[];

export class CameraRig {
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  private readonly followed = new Vector3();
  private following = false;

  constructor(canvas: HTMLCanvasElement, private readonly extent: number) {
    this.camera.up.set(0, 0, 1);
    this.camera.near = extent / 200;
    this.camera.far = extent * 60;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = extent / 60;
    this.controls.maxDistance = extent * 12;
    this.controls.zoomToCursor = true;
  }

  // Moves the camera so that the whole box is in view, from the preset's direction or else the present one.
  frame(box: Box3, preset: Preset | null = null): void {
    const sphere = box.isEmpty() ? new Sphere(new Vector3(), this.extent) : box.getBoundingSphere(new Sphere());
    const radius = Math.max(sphere.radius, this.extent / 40);
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.atan(Math.tan(half) * Math.min(1, this.camera.aspect));
    const direction = preset ? DIRECTIONS[preset].clone() : this.camera.position.clone().sub(this.controls.target);
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(sphere.center).addScaledVector(direction.normalize(), (1.2 * radius) / Math.sin(narrow));
    this.controls.update();
  }

  // Moves the camera along with a point; called with it for every frame. null ends the following.
  follow(point: Vector3 | null): void {
    if (point && this.following && Number.isFinite(point.lengthSq())) {
      const moved = point.clone().sub(this.followed);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
    }
    this.following = point !== null;
    if (point) this.followed.copy(point);
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }
}
