// Contact points, force arrows and friction cones, coloured by state.
import { ConeGeometry, CylinderGeometry, DoubleSide, type Group, Matrix4, MeshBasicMaterial, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3 } from 'three';
import { CONTACT_WORDS, type Frame } from '../run/data';
import { Instances } from './instances';
import { CONTACT_COLOURS } from './palette';

const UP = new Vector3(0, 0, 1);
const matrix = new Matrix4();
const turn = new Quaternion();
const point = new Vector3();
const along = new Vector3();
const place = new Vector3();
const scale = new Vector3();

export class Contacts {
  showForces = true;
  showCones = false;
  showPoints = true;
  enlarge = 1; // the user's factor on arrows
  private readonly points: Instances;
  private readonly shafts: Instances;
  private readonly heads: Instances;
  private readonly cones: Instances;

  // size: of a typical body, m; force: N, the force whose arrow is as long as that.
  constructor(root: Group, private readonly size: number, readonly force: number) {
    const solid = new MeshLambertMaterial();
    const over = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.95 });
    const glass = new MeshBasicMaterial({ transparent: true, opacity: 0.22, depthWrite: false, side: DoubleSide });
    this.points = new Instances(root, new SphereGeometry(1, 10, 8), over, 3);
    this.shafts = new Instances(root, new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5), solid);
    this.heads = new Instances(root, new ConeGeometry(1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5), solid);
    this.cones = new Instances(root, new ConeGeometry(1, 1, 28, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5), glass, 2);
  }

  get drawn(): { points: number; arrows: number; cones: number } {
    return { points: this.points.count, arrows: this.shafts.count, cones: this.cones.count };
  }

  // Newtons a metre of arrow.
  get newtonsPerMetre(): number {
    return this.force / (this.size * this.enlarge);
  }

  update(frame: Frame | undefined): void {
    const all = [this.points, this.shafts, this.heads, this.cones];
    for (const each of all) each.begin();
    for (let c = 0; frame && c < frame.contacts; ++c) this.add(frame, CONTACT_WORDS * c);
    for (const each of all) each.end();
  }

  private add(frame: Frame, at: number): void {
    const f = frame.floats;
    const colour = CONTACT_COLOURS[frame.words[at + 2]];
    const s = this.size;
    point.set(f[at + 4], f[at + 5], f[at + 6]);
    if (this.showPoints) {
      matrix.compose(point, turn.identity(), scale.setScalar(0.035 * s));
      this.points.add(matrix, colour);
    }
    along.set(f[at + 7], f[at + 8], f[at + 9]);
    const mu = f[at + 3];
    if (this.showCones && mu > 0 && Number.isFinite(mu)) {
      const height = 0.4 * s * Math.min(1, 1.5 / mu); // a wide one stays as wide as it is high
      matrix.compose(point, turn.setFromUnitVectors(UP, along), scale.set(mu * height, mu * height, height));
      this.cones.add(matrix, colour);
    }
    if (!this.showForces) return;
    along.set(f[at + 10], f[at + 11], f[at + 12]);
    const force = along.length();
    const length = Math.min(force / this.newtonsPerMetre, 8 * s);
    if (!(length > 0.01 * s)) return; // not seen anyway
    turn.setFromUnitVectors(UP, along.divideScalar(force));
    const head = Math.min(0.16 * s, 0.5 * length);
    matrix.compose(point, turn, scale.set(0.022 * s, 0.022 * s, length - head));
    this.shafts.add(matrix, colour);
    place.copy(point).addScaledVector(along, length - head);
    matrix.compose(place, turn, scale.set(0.4 * head, 0.4 * head, head));
    this.heads.add(matrix, colour);
  }
}
