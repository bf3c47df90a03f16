// The rubber band between the grabbed point of a body and the mouse. The target stays in the plane through the grabbed
// point that faces the camera, so the end of the band is under the mouse.
import {
  type Camera, CylinderGeometry, type Group, Mesh, MeshBasicMaterial, Plane, Quaternion, type Ray, SphereGeometry,
  Vector3,
} from 'three';
import { standing, Z } from './geometry';
import { PUSH } from './palette';
import type { BodyPoses } from './poses';

export class PushBand {
  body = -1;
  readonly at = new Vector3(); // grabbed point, in the body's frame
  readonly to = new Vector3(); // target, in the world
  private readonly plane = new Plane();
  private readonly band: Mesh;
  private readonly ends: [Mesh, Mesh];
  private readonly held = new Vector3();

  constructor(root: Group, private readonly size: number) {
    const material = new MeshBasicMaterial({ color: PUSH, depthTest: false, transparent: true });
    this.band = new Mesh(standing(new CylinderGeometry(1, 1, 1, 10)), material);
    const ball = (radius: number): Mesh => new Mesh(new SphereGeometry(radius, 16, 12), material);
    this.ends = [ball(0.06 * size), ball(0.08 * size)];
    for (const part of [this.band, ...this.ends]) {
      part.visible = false;
      part.renderOrder = 6;
      part.frustumCulled = false;
      root.add(part);
    }
  }

  get active(): boolean {
    return this.body >= 0;
  }

  grab(body: number, point: Vector3, poses: BodyPoses, camera: Camera): void {
    this.body = body;
    this.at.copy(point).applyMatrix4(poses.matrices[body].clone().invert());
    this.to.copy(point);
    this.plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()).negate(), point);
  }

  move(ray: Ray): boolean {
    return ray.intersectPlane(this.plane, this.to) !== null;
  }

  release(): void {
    this.body = -1;
    for (const part of [this.band, ...this.ends]) part.visible = false;
  }

  update(poses: BodyPoses): void {
    if (!this.active) return;
    this.held.copy(this.at).applyMatrix4(poses.matrices[this.body]);
    const length = this.held.distanceTo(this.to);
    this.ends[0].position.copy(this.held);
    this.ends[1].position.copy(this.to);
    for (const end of this.ends) end.visible = true;
    this.band.visible = length > 0;
    if (!this.band.visible) return;
    this.band.position.copy(this.held);
    const direction = this.to.clone().sub(this.held).divideScalar(length);
    this.band.quaternion.copy(new Quaternion().setFromUnitVectors(Z, direction));
    this.band.scale.set(0.022 * this.size, 0.022 * this.size, length);
  }
}
