// The poses of all bodies at the time shown. Between two frames, positions and quaternions are interpolated linearly;
// the quaternions take the shorter arc and are normalised.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Frame, Pose } from '../run/data';

const position = new Vector3();
const quaternion = new Quaternion();
const ONE = new Vector3(1, 1, 1);

export const poseMatrix = (pose: Pose, scale = ONE): Matrix4 =>
  new Matrix4().compose(
    new Vector3(pose[0], pose[1], pose[2]), new Quaternion(pose[4], pose[5], pose[6], pose[3]), scale);

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

  // World position of a point given in a body's frame.
  point(body: number, p: readonly [number, number, number], out = new Vector3()): Vector3 {
    return out.set(p[0], p[1], p[2]).applyMatrix4(this.matrices[body]);
  }
}
