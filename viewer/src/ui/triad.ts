// The directions of the axes x, y and z, in a corner of the view.
import { type Camera, Vector3 } from 'three';
import { AXES } from '../stage/palette';
import { h } from './dom';

const SIDE = 76;

export class Triad {
  readonly element = h('canvas', { class: 'triad', width: 2 * SIDE, height: 2 * SIDE, 'aria-hidden': 'true' });

  draw(camera: Camera): void {
    camera.updateMatrixWorld();
    const pen = this.element.getContext('2d')!;
    pen.setTransform(2, 0, 0, 2, SIDE, SIDE);
    pen.clearRect(-SIDE, -SIDE, 2 * SIDE, 2 * SIDE);
    const arms = [0, 1, 2].map((i) => (
      { i, to: new Vector3().setComponent(i, 1).transformDirection(camera.matrixWorldInverse) }));
    pen.font = '600 11px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.lineCap = 'round';
    pen.lineWidth = 2.4;
    for (const { i, to } of arms.sort((a, b) => a.to.z - b.to.z)) { // farthest first
      const colour = `#${AXES[i].getHexString()}`;
      pen.globalAlpha = to.z < -0.3 ? 0.55 : 1;
      pen.strokeStyle = pen.fillStyle = colour;
      pen.beginPath();
      pen.moveTo(0, 0);
      pen.lineTo(22 * to.x, -22 * to.y);
      pen.stroke();
      pen.fillText('xyz'[i], 31 * to.x, -31 * to.y);
    }
    pen.globalAlpha = 1;
  }
}
