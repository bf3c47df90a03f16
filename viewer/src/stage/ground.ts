// Half-spaces as floors with a metric grid that fades in the distance. A scene without a half-space has a grid in the
// plane z = 0.
import { Color, DoubleSide, FrontSide, type Group, Matrix4, Mesh, MeshLambertMaterial, PlaneGeometry } from 'three';
import type { Scene } from '../run/data';
import type { Surroundings } from './palette';
import { AXES } from './palette';
import { type BodyPoses, poseMatrix } from './poses';

interface Floor { mesh: Mesh; body: number; local: Matrix4 }

export class Ground {
  readonly cell: number; // side of a grid cell, m: 1, 2 or 5 times a power of ten; bold lines at the next power of ten
  private readonly floors: Floor[] = [];
  private readonly uniforms = {
    cell: { value: 1 }, bold: { value: 1 }, radius: { value: 1 }, lines: { value: 1 },
    lineColour: { value: new Color() }, xColour: { value: AXES[0] }, yColour: { value: AXES[1] },
  };
  private readonly solid: MeshLambertMaterial;
  private readonly bare: boolean; // no half-space: only the grid lines are drawn

  constructor(scene: Scene, root: Group, extent: number) {
    const bold = 10 ** Math.ceil(Math.log10(extent / 4));
    this.cell = bold * ([0.1, 0.2, 0.5].find((share) => share * bold >= extent / 6) ?? 1);
    const radius = Math.max(8 * extent, 20 * this.cell);
    this.uniforms.bold.value = bold;
    this.uniforms.cell.value = this.cell;
    this.uniforms.radius.value = radius;
    const planes = scene.shapes.filter((shape) => shape.geometry.kind === 'half_space');
    this.bare = planes.length === 0;
    this.solid = this.material();
    for (const plane of this.bare ? [{ body: 0, place: [0, 0, 0, 1, 0, 0, 0] as const }] : planes) {
      const mesh = new Mesh(new PlaneGeometry(2 * radius, 2 * radius), this.solid);
      mesh.receiveShadow = !this.bare;
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      mesh.renderOrder = -1;
      root.add(mesh);
      this.floors.push({ mesh, body: plane.body, local: poseMatrix([...plane.place]) });
    }
  }

  update(poses: BodyPoses): void {
    for (const { mesh, body, local } of this.floors) mesh.matrix.multiplyMatrices(poses.matrices[body], local);
  }

  showLines(on: boolean): void {
    this.uniforms.lines.value = on ? 1 : 0;
    if (this.bare) for (const { mesh } of this.floors) mesh.visible = on;
  }

  paint(around: Surroundings): void {
    this.solid.color.set(around.floor);
    this.uniforms.lineColour.value.set(around.line);
  }

  private material(): MeshLambertMaterial {
    const material = new MeshLambertMaterial({
      transparent: true, depthWrite: !this.bare, side: this.bare ? DoubleSide : FrontSide,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec2 onFloor;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\nonFloor = position.xy;');
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', `#include <common>
          varying vec2 onFloor;
          uniform float cell, bold, radius, lines;
          uniform vec3 lineColour, xColour, yColour;
          float gridLine(vec2 p, float pixels) { // 1 on lines at whole numbers of p, this many pixels wide
            vec2 w = fwidth(p);
            vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, 1e-6);
            float crowded = smoothstep(0.6, 0.15, max(w.x, w.y)); // fade out before lines merge
            return (1.0 - smoothstep(pixels - 0.5, pixels + 0.5, min(d.x, d.y))) * crowded;
          }`)
        .replace('#include <opaque_fragment>', `
          float far = length(onFloor) / radius;
          float fade = 1.0 - smoothstep(0.35, 1.0, far);
          float line = lines * max(0.3 * gridLine(onFloor / cell, 0.6), 0.55 * gridLine(onFloor / bold, 0.8));
          vec2 axis = lines * (1.0 - smoothstep(0.8, 1.8, abs(onFloor) / max(fwidth(onFloor), 1e-6)));
          outgoingLight = mix(outgoingLight, lineColour, line);
          outgoingLight = mix(outgoingLight, xColour, 0.7 * axis.y);
          outgoingLight = mix(outgoingLight, yColour, 0.7 * axis.x);
          ${this.bare ? 'diffuseColor.a = fade * max(line, max(axis.x, axis.y));' : 'diffuseColor.a = fade;'}
          #include <opaque_fragment>`);
    };
    return material;
  }
}
