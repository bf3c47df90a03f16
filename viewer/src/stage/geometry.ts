// A triangle geometry for each shape. Shapes of one kind share a unit geometry and differ by scale, so that all boxes
// of a scene are one draw call.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, SphereGeometry,
  Vector3,
} from 'three';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Geometry, Mesh } from '../run/data';

export interface Solid { key: string; scale: Vector3; make(): BufferGeometry }

const CREASE = Math.PI / 6;          // edges with a larger angle are drawn sharp
const MOST_CREASED_TRIANGLES = 30000; // larger meshes are drawn smooth, which is faster to prepare

export const Z = new Vector3(0, 0, 1);

// A cylinder or cone of height 1 from the origin along z.
export const standing = (geometry: BufferGeometry): BufferGeometry => alongZ(geometry).translate(0, 0, 0.5);

// Null for a half-space, which ground.ts draws.
// detail: 1 for few shapes, less for many, to limit the number of triangles of the scene.
export function solidOf(geometry: Geometry, meshes: Mesh[], detail: number): Solid | null {
  const round = Math.max(12, Math.round(36 * detail)); // segments around a circle
  const ball = (): BufferGeometry => alongZ(new SphereGeometry(1, round, Math.round(0.6 * round)));
  switch (geometry.kind) {
    case 'sphere':
      return { key: 'ball', scale: new Vector3().setScalar(geometry.radius), make: ball };
    case 'ellipsoid':
      return { key: 'ball', scale: new Vector3(...geometry.radii), make: ball };
    case 'box':
      return { key: 'box', scale: new Vector3(...geometry.half), make: () => new BoxGeometry(2, 2, 2) };
    case 'cylinder':
      return { key: 'cylinder', scale: roundScale(geometry), make: () => alongZ(new CylinderGeometry(1, 1, 2, round)) };
    case 'cone':
      return { key: 'cone', scale: roundScale(geometry), make: () => alongZ(new ConeGeometry(1, 2, round)) };
    case 'capsule': {
      const slenderness = geometry.half_length / geometry.radius; // its own geometry: scaling would distort the caps
      return {
        key: `capsule ${slenderness.toPrecision(6)}`,
        scale: new Vector3().setScalar(geometry.radius),
        make: () => alongZ(new CapsuleGeometry(1, 2 * slenderness, Math.round(0.25 * round), round)),
      };
    }
    case 'mesh':
      return {
        key: `mesh ${geometry.mesh}`,
        scale: new Vector3(1, 1, 1),
        make: () => triangles(meshes[geometry.mesh]),
      };
    case 'half_space':
      return null;
  }
}

const roundScale = (g: { radius: number; half_length: number }): Vector3 =>
  new Vector3(g.radius, g.radius, g.half_length);

// From three's axis y to z.
const alongZ = (geometry: BufferGeometry): BufferGeometry => geometry.rotateX(Math.PI / 2);

function triangles(mesh: Mesh): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(mesh.vertices, 3));
  geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
  if (mesh.triangles.length <= 3 * MOST_CREASED_TRIANGLES) return toCreasedNormals(geometry, CREASE);
  geometry.computeVertexNormals();
  return geometry;
}
