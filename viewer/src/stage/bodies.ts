// The shapes of all bodies: one instanced mesh per geometry.
import {
  BackSide, Box3, BufferGeometry, Color, type Group, InstancedMesh, type Intersection, Matrix4, Mesh, MeshBasicMaterial,
  MeshLambertMaterial, type Raycaster, Vector3,
} from 'three';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Scene, Shape } from '../run/data';
import { solidOf } from './geometry';
import { bodyColour, SELECTION } from './palette';
import { type BodyPoses, poseMatrix } from './poses';

interface Bucket { mesh: InstancedMesh; shapes: Shape[]; local: Matrix4[] }

const WHITE = new Color('#ffffff');
const matrix = new Matrix4();

export class Bodies {
  readonly sizes: number[]; // largest half extent of each body, m; zero for a body without shapes
  private readonly buckets: Bucket[] = [];
  private readonly outline: Mesh[] = [];
  private selected = -1;
  private hovered = -1;

  constructor(scene: Scene, private readonly root: Group) {
    this.sizes = scene.bodies.map(() => 0);
    const byKey = new Map<string, { make(): BufferGeometry; shapes: Shape[]; local: Matrix4[] }>();
    const detail = Math.min(1, Math.sqrt(30 / scene.shapes.length));
    for (const shape of scene.shapes) {
      const solid = solidOf(shape.geometry, scene.meshes, detail);
      if (!solid) continue;
      const entry = byKey.get(solid.key) ?? { make: solid.make, shapes: [], local: [] };
      entry.shapes.push(shape);
      entry.local.push(poseMatrix(shape.place, solid.scale));
      byKey.set(solid.key, entry);
    }
    for (const { make, shapes, local } of byKey.values()) {
      const geometry = make();
      geometry.computeBoundingBox();
      const mesh = new InstancedMesh(geometry, new MeshLambertMaterial(), shapes.length);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.buckets.push({ mesh, shapes, local });
      this.root.add(mesh);
      shapes.forEach((shape, i) => {
        const size = new Box3().copy(geometry.boundingBox!).applyMatrix4(local[i]).getSize(new Vector3());
        this.sizes[shape.body] = Math.max(this.sizes[shape.body], Math.max(size.x, size.y, size.z) / 2);
      });
    }
    this.paint();
  }

  update(poses: BodyPoses): void {
    for (const { mesh, shapes, local } of this.buckets) {
      shapes.forEach((shape, i) => mesh.setMatrixAt(i, matrix.multiplyMatrices(poses.matrices[shape.body], local[i])));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // the next pick computes it
    }
    for (const line of this.outline)
      line.matrix.multiplyMatrices(poses.matrices[this.selected], line.userData.local as Matrix4);
  }

  highlight(selected: number, hovered: number, poses: BodyPoses): void {
    if (selected !== this.selected) {
      this.selected = selected;
      this.drawOutline();
      this.update(poses);
    }
    this.hovered = hovered;
    this.paint();
  }

  pick(ray: Raycaster): (Intersection & { body: number }) | null {
    let nearest: (Intersection & { body: number }) | null = null;
    for (const { mesh, shapes } of this.buckets)
      for (const hit of ray.intersectObject(mesh, false))
        if (!nearest || hit.distance < nearest.distance) nearest = { ...hit, body: shapes[hit.instanceId!].body };
    return nearest;
  }

  // Bounding box of all shapes of the chosen bodies, in the world.
  bounds(poses: BodyPoses, which: (body: number) => boolean = () => true): Box3 {
    const box = new Box3();
    for (const { mesh, shapes, local } of this.buckets)
      shapes.forEach((shape, i) => {
        if (!which(shape.body)) return;
        const place = matrix.multiplyMatrices(poses.matrices[shape.body], local[i]);
        box.union(new Box3().copy(mesh.geometry.boundingBox!).applyMatrix4(place));
      });
    return box;
  }

  private paint(): void {
    for (const { mesh, shapes } of this.buckets) {
      shapes.forEach((shape, i) => {
        const colour = bodyColour(shape.body);
        if (shape.body === this.hovered) colour.lerp(WHITE, 0.3);
        else if (shape.body === this.selected) colour.lerp(SELECTION, 0.25);
        mesh.setColorAt(i, colour);
      });
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  // The outline of the selected body: its shapes again, enlarged along their normals by 0.3 % of the view, with only
  // the back faces drawn.
  private drawOutline(): void {
    for (const line of this.outline.splice(0)) {
      this.root.remove(line);
      line.geometry.dispose();
    }
    for (const { mesh, shapes, local } of this.buckets)
      shapes.forEach((shape, i) => {
        if (shape.body !== this.selected) return;
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', mesh.geometry.getAttribute('position'));
        geometry.setIndex(mesh.geometry.getIndex());
        const closed = mergeVertices(geometry, 1e-5); // one normal per vertex, so that there are no gaps at edges
        closed.computeVertexNormals();
        const line = new Mesh(closed, OUTLINE);
        line.matrixAutoUpdate = false;
        line.frustumCulled = false;
        line.userData.local = local[i];
        this.outline.push(line);
        this.root.add(line);
      });
  }
}

const OUTLINE = new MeshBasicMaterial({ color: SELECTION, side: BackSide });
OUTLINE.onBeforeCompile = (shader) => {
  shader.vertexShader = shader.vertexShader.replace(
    '#include <project_vertex>',
    `#include <project_vertex>
     vec4 outward = projectionMatrix * modelViewMatrix * vec4(transformed + 0.01 * normal, 1.0);
     vec2 direction = outward.xy / outward.w - gl_Position.xy / gl_Position.w;
     float size = length(direction);
     if (size > 0.0) gl_Position.xy += direction / size * 0.006 * gl_Position.w;`,
  );
};
