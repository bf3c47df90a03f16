// Contact points, force arrows and friction cones, coloured by the contact's state. Of action and reaction, the force
// on the body with the larger index is drawn, so never the one on the ground.
import {
  ConeGeometry, CylinderGeometry, DoubleSide, type Group, Matrix4, MeshBasicMaterial, NoBlending, OctahedronGeometry,
  Quaternion, Vector3,
} from 'three';
import { bodiesOf } from '../run/contacts';
import { CONTACT, type Frame, type Scene } from '../run/data';
import { Copies } from './copies';
import { standing, Z } from './geometry';
import { CONTACT_COLOURS } from './palette';

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
  enlarge = 1; // factor on the length of arrows, set by the user
  private readonly points: Copies;
  private readonly shafts: Copies;
  private readonly heads: Copies;
  private readonly cones: Copies;

  // size: of a typical body, m. force: the force whose arrow has that length, N.
  constructor(private readonly scene: Scene, root: Group, private readonly size: number, readonly force: number) {
    // Drawn over the bodies, since forces and cones reach into them. three draws transparent materials last.
    const over = new MeshBasicMaterial({
      vertexColors: true, depthTest: false, transparent: true, blending: NoBlending,
    });
    const glass = new MeshBasicMaterial({
      vertexColors: true, transparent: true, opacity: 0.3, depthTest: false, depthWrite: false, side: DoubleSide,
    });
    this.points = new Copies(root, new OctahedronGeometry(1), over, 3);
    this.shafts = new Copies(root, standing(new CylinderGeometry(1, 1, 1, 4, 1, true)), over, 3);
    this.heads = new Copies(root, standing(new ConeGeometry(1, 1, 6)), over, 3);
    const apexDown = new ConeGeometry(1, 1, 20, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    this.cones = new Copies(root, apexDown, glass, 2);
  }

  get drawn(): { points: number; arrows: number; cones: number } {
    return { points: this.points.count, arrows: this.shafts.count, cones: this.cones.count };
  }

  // Scale of the arrows, N/m.
  get newtonsPerMetre(): number {
    return this.force / (this.size * this.enlarge);
  }

  update(frame: Frame | undefined): void {
    const all = [this.points, this.shafts, this.heads, this.cones];
    for (const each of all) each.begin();
    for (let c = 0; frame && c < frame.contacts; ++c) this.add(frame, c);
    for (const each of all) each.end();
  }

  private add(frame: Frame, contact: number): void {
    const at = CONTACT.words * contact;
    const [a, b] = bodiesOf(this.scene, frame, contact);
    const sign = a > b ? 1 : -1; // the frame has the force on a and the normal towards a
    const f = frame.floats;
    const colour = CONTACT_COLOURS[frame.words[at + CONTACT.state]];
    const s = this.size;
    point.fromArray(f, at + CONTACT.point);
    if (this.showPoints) {
      matrix.compose(point, turn.identity(), scale.setScalar(0.035 * s));
      this.points.add(matrix, colour);
    }
    along.fromArray(f, at + CONTACT.normal).multiplyScalar(sign);
    const mu = f[at + CONTACT.mu];
    if (this.showCones && mu > 0 && Number.isFinite(mu)) {
      const height = 0.6 * s * Math.min(1, 1.5 / mu); // limits the radius of a wide cone
      matrix.compose(point, turn.setFromUnitVectors(Z, along), scale.set(mu * height, mu * height, height));
      this.cones.add(matrix, colour);
    }
    if (!this.showForces) return;
    along.fromArray(f, at + CONTACT.force).multiplyScalar(sign);
    const force = along.length();
    const length = Math.min(force / this.newtonsPerMetre, 8 * s);
    if (!(length > 0.01 * s)) return; // too short to be seen
    turn.setFromUnitVectors(Z, along.divideScalar(force));
    const head = Math.min(0.2 * s, 0.5 * length);
    matrix.compose(point, turn, scale.set(0.028 * s, 0.028 * s, length - head));
    this.shafts.add(matrix, colour);
    place.copy(point).addScaledVector(along, length - head);
    matrix.compose(place, turn, scale.set(0.4 * head, 0.4 * head, head));
    this.heads.add(matrix, colour);
  }
}
