// A mesh drawn at any number of places: add() them anew for every frame. Grows by itself, in steps of two.
import { type BufferGeometry, type Color, type Group, InstancedMesh, type Material, type Matrix4 } from 'three';

export class Instances {
  private mesh: InstancedMesh;
  private shown = true;

  constructor(private readonly root: Group, geometry: BufferGeometry, material: Material, private readonly order = 0) {
    this.mesh = this.make(geometry, material, 64);
  }

  get count(): number {
    return this.shown ? this.mesh.count : 0;
  }

  set visible(on: boolean) {
    this.shown = this.mesh.visible = on;
  }

  begin(): void {
    this.mesh.count = 0;
  }

  add(matrix: Matrix4, colour: Color): void {
    const i = this.mesh.count;
    const most = this.mesh.instanceMatrix.count;
    if (i === most) {
      const old = this.mesh;
      this.mesh = this.make(old.geometry, old.material as Material, 2 * most);
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      if (old.instanceColor) {
        this.mesh.setColorAt(0, colour); // makes the attribute
        this.mesh.instanceColor!.array.set(old.instanceColor.array);
      }
      this.root.remove(old);
      old.dispose();
    }
    this.mesh.count = i + 1;
    this.mesh.setMatrixAt(i, matrix);
    this.mesh.setColorAt(i, colour);
  }

  end(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  private make(geometry: BufferGeometry, material: Material, most: number): InstancedMesh {
    const mesh = new InstancedMesh(geometry, material, most);
    mesh.count = 0;
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.visible = this.shown;
    this.root.add(mesh);
    return mesh;
  }
}
