// Marks that are drawn besides the shapes: joint axes, frames, centres of mass, loops.
import {
  CylinderGeometry, type Group, Matrix4, MeshBasicMaterial, OctahedronGeometry, Quaternion, SphereGeometry,
  TorusGeometry, Vector3,
} from 'three';
import type { Joint, Scene, Vec3 } from '../run/data';
import { Copies } from './copies';
import { standing, Z } from './geometry';
import { AXES, CENTRE, JOINT, LOOP } from './palette';
import { type BodyPoses, poseMatrix } from './poses';

const matrix = new Matrix4();
const turn = new Quaternion();
const from = new Vector3();
const to = new Vector3();
const scale = new Vector3();

// The rotation or translation axes of a joint, in the joint's frame.
function axesOf(joint: Joint): { axis: Vec3; turns: boolean }[] {
  switch (joint.type) {
    case 'revolute':
      return [{ axis: joint.axis, turns: true }];
    case 'prismatic':
      return [{ axis: joint.axis, turns: false }];
    case 'screw':
    case 'cylindrical':
    case 'planar':
      return [{ axis: joint.axis, turns: true }];
    case 'universal':
      return [{ axis: joint.axis, turns: true }, { axis: joint.axis2, turns: true }];
    default:
      return []; // weld, ball, free and translational joints have no axis
  }
}

// A thin rod from a to b.
function rod(out: Copies, a: Vector3, b: Vector3, radius: number, colour: typeof JOINT): void {
  const length = a.distanceTo(b);
  if (!(length > 0)) return;
  turn.setFromUnitVectors(Z, to.subVectors(b, a).divideScalar(length));
  out.add(matrix.compose(a, turn, scale.set(radius, radius, length)), colour);
}

export class Marks {
  readonly show = { joints: false, frames: false, centres: false, loops: true };
  private readonly rods: Copies;
  private readonly rings: Copies;
  private readonly balls: Copies;
  private readonly knots: Copies;
  private readonly jointPlaces: Matrix4[];
  private readonly framePlaces: Matrix4[];
  private readonly mass: number;

  constructor(private readonly scene: Scene, root: Group, private readonly size: number) {
    const over = new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, opacity: 0.9 });
    this.rods = new Copies(root, standing(new CylinderGeometry(1, 1, 1, 6)), over, 4);
    this.rings = new Copies(root, new TorusGeometry(1, 0.12, 5, 24), over, 4);
    this.balls = new Copies(root, new SphereGeometry(1, 12, 8), over, 5);
    this.knots = new Copies(root, new OctahedronGeometry(1), over, 5);
    this.jointPlaces = scene.joints.map((joint) => poseMatrix(joint.place));
    this.framePlaces = scene.frames.map((frame) => poseMatrix(frame.place));
    this.mass = scene.bodies.reduce((sum, body, i) => (i > 0 ? sum + body.mass : sum), 0);
  }

  get drawn(): { rods: number; rings: number; balls: number; knots: number } {
    return { rods: this.rods.count, rings: this.rings.count, balls: this.balls.count, knots: this.knots.count };
  }

  update(poses: BodyPoses, selected: number): void {
    const all = [this.rods, this.rings, this.balls, this.knots];
    for (const each of all) each.begin();
    if (this.show.joints) this.joints(poses);
    if (this.show.frames) {
      this.scene.frames.forEach((frame, i) => {
        this.triad(new Matrix4().multiplyMatrices(poses.matrices[frame.body], this.framePlaces[i]), 0.5);
      });
      for (const body of poses.matrices) this.triad(body, 0.8);
    } else if (selected > 0) {
      this.triad(poses.matrices[selected], 0.8);
    }
    if (this.show.centres) this.centres(poses);
    if (this.show.loops) this.loops(poses);
    for (const each of all) each.end();
  }

  private joints(poses: BodyPoses): void {
    const s = this.size;
    this.scene.joints.forEach((joint, i) => {
      const place = new Matrix4().multiplyMatrices(poses.matrices[joint.parent], this.jointPlaces[i]);
      const at = new Vector3().setFromMatrixPosition(place);
      for (const { axis, turns } of axesOf(joint)) {
        const direction = new Vector3(...axis).transformDirection(place);
        from.copy(at).addScaledVector(direction, -0.55 * s);
        rod(this.rods, from, new Vector3().copy(at).addScaledVector(direction, 0.55 * s), 0.018 * s, JOINT);
        if (!turns) continue;
        turn.setFromUnitVectors(Z, direction);
        this.rings.add(matrix.compose(at, turn, scale.setScalar(0.14 * s)), JOINT);
      }
      if (joint.type === 'ball') this.balls.add(matrix.compose(at, turn.identity(), scale.setScalar(0.08 * s)), JOINT);
    });
  }

  private triad(place: Matrix4, share: number): void {
    const at = new Vector3().setFromMatrixPosition(place);
    const tip = new Vector3();
    for (let i = 0; i < 3; ++i) {
      tip.setFromMatrixColumn(place, i).multiplyScalar(share * this.size).add(at);
      rod(this.rods, at, tip, 0.014 * this.size, AXES[i]);
    }
  }

  // A ball at the centre of mass of each body, and a larger mark at that of all bodies together.
  private centres(poses: BodyPoses): void {
    const whole = new Vector3();
    this.scene.bodies.forEach((body, i) => {
      if (i === 0 || !(body.mass > 0)) return;
      const at = poses.point(i, body.centre);
      whole.addScaledVector(at, body.mass / this.mass);
      this.balls.add(matrix.compose(at, turn.identity(), scale.setScalar(0.06 * this.size)), CENTRE);
    });
    if (this.mass > 0 && this.scene.bodies.length > 2)
      this.knots.add(matrix.compose(whole, turn.identity(), scale.setScalar(0.16 * this.size)), CENTRE);
  }

  // The two points that a loop connects and a line between them: the error of a loop, or the rod or spring itself.
  private loops(poses: BodyPoses): void {
    for (const loop of this.scene.loops) {
      const a = poses.point(loop.a, loop.at_a);
      const b = poses.point(loop.b, loop.at_b);
      rod(this.rods, a, b, 0.018 * this.size, LOOP);
      for (const end of [a, b])
        this.knots.add(matrix.compose(end, turn.identity(), scale.setScalar(0.09 * this.size)), LOOP);
    }
  }
}
