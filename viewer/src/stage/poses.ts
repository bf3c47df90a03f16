// Where every body is at the moment shown: between two frames, positions along a line and quaternions along the shorter arc.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Frame, Pose } from '../run/data';

const position = new Vector3();
const quaternion = new Quaternion();
const ONE = new Vector3(1, 1, 1);

export const poseMatrix = (pose: Pose, scale = ONE): Matrix4 =>
  new Matrix4().compose(new Vector3(pose[0], pose[1], pose[2]), new Quaternion(pose[4], pose[5], pose[6], pose[3]), scale);

export class BodyPoses {
  readonly matrices: Matrix4[];

  constructor(bodies: number) {
    this.matrices = Array.from({ length: bodies }, () => new Matrix4());
  }

  set(frame: Frame, next: Frame | undefined, fraction: number): void {
    const p = frame.poses;
    const n = next && fraction > 0 ? next.poses : p;
    this.matrices.forEach((matrix, body) => {
      const i = 7 * body;
      let dot = 0;
      for (let k = 3; k < 7; ++k) dot += p[i + k] * n[i + k];
      const towards = dot < 0 ? -fraction : fraction;
      const mix = (k: number): number => p[i + k] + fraction * (n[i + k] - p[i + k]);
      const turn = (k: number): number => (1 - fraction) * p[i + k] + towards * n[i + k];
      position.set(mix(0), mix(1), mix(2));
      quaternion.set(turn(4), turn(5), turn(6), turn(3)).normalize();
      matrix.compose(position, quaternion, ONE);
    });
  }

  // A point of a body, in the world.
  point(body: number, p: readonly [number, number, number], out = new Vector3()): Vector3 {
    return out.set(p[0], p[1], p[2]).applyMatrix4(this.matrices[body]);
  }
}
