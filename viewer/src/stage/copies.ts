// Copies of one small mesh at any number of places, each in one colour; add() is called anew for every frame. The
// copies are written into one buffer, not instanced: without a graphics card an instance costs 20 us, a copy less than
// 1 us.
import { BufferAttribute, BufferGeometry, type Color, type Group, type Material, type Matrix4, Mesh } from 'three';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';

export class Copies {
  count = 0;
  private readonly corners: Float32Array; // vertices of the mesh that is copied
  private readonly triangles: ArrayLike<number>;
  private readonly mesh: Mesh<BufferGeometry>;
  private positions!: BufferAttribute;
  private colours!: BufferAttribute;
  private most = 0;

  // The material must take its colours from the vertices.
  constructor(root: Group, template: BufferGeometry, material: Material, order = 0) {
    const bare = new BufferGeometry().setAttribute('position', template.getAttribute('position'));
    bare.setIndex(template.getIndex());
    const merged = mergeVertices(bare, 1e-6);
    this.corners = merged.getAttribute('position').array as Float32Array;
    this.triangles = merged.getIndex()!.array;
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    root.add(this.mesh);
    this.grow(64);
  }

  begin(): void {
    this.count = 0;
  }

  add(matrix: Matrix4, colour: Color): void {
    if (this.count === this.most) this.grow(2 * this.most);
    const m = matrix.elements;
    const from = this.corners;
    const place = this.positions.array as Float32Array;
    const paint = this.colours.array as Float32Array;
    let at = this.count * from.length;
    for (let i = 0; i < from.length; i += 3) {
      const x = from[i];
      const y = from[i + 1];
      const z = from[i + 2];
      place[at] = m[0] * x + m[4] * y + m[8] * z + m[12];
      place[at + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
      place[at + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
      paint[at] = colour.r;
      paint[at + 1] = colour.g;
      paint[at + 2] = colour.b;
      at += 3;
    }
    ++this.count;
  }

  end(): void {
    this.mesh.visible = this.count > 0;
    this.mesh.geometry.setDrawRange(0, this.count * this.triangles.length);
    for (const attribute of [this.positions, this.colours]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, this.count * this.corners.length);
      attribute.needsUpdate = true;
    }
  }

  private grow(most: number): void {
    const larger = (old: BufferAttribute | undefined): BufferAttribute => {
      const array = new Float32Array(most * this.corners.length);
      if (old) array.set(old.array as Float32Array);
      return new BufferAttribute(array, 3);
    };
    this.positions = larger(this.positions);
    this.colours = larger(this.colours);
    const corners = this.corners.length / 3;
    const indices = new Uint32Array(most * this.triangles.length);
    for (let copy = 0, at = 0; copy < most; ++copy)
      for (let i = 0; i < this.triangles.length; ++i) indices[at++] = copy * corners + this.triangles[i];
    this.mesh.geometry.dispose();
    this.mesh.geometry = new BufferGeometry();
    this.mesh.geometry.setAttribute('position', this.positions);
    this.mesh.geometry.setAttribute('color', this.colours);
    this.mesh.geometry.setIndex(new BufferAttribute(indices, 1));
    this.most = most;
  }
}
