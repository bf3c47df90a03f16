// Draws curves over time on a canvas: axes with round numbers and units, a cursor.
import { clearedPen } from './dom';
import { short, ticks, timeLabel } from './format';
import { cssColour } from './theme';

export interface Curve { values: readonly number[]; colour: string }
export interface View {
  times: readonly number[]; begin: number; end: number; cursor: number; hover: number | null; log: boolean;
  unit: string;
}

const LEFT = 52;
const RIGHT = 8;
const TOP = 16;
const BOTTOM = 20;
const MOST_DECADES = 16; // on a logarithmic axis, below the largest value

export const timeAt = (x: number, width: number, begin: number, end: number): number =>
  begin + Math.min(1, Math.max(0, (x - LEFT) / Math.max(1, width - LEFT - RIGHT))) * (end - begin);

export function drawChart(canvas: HTMLCanvasElement, curves: Curve[], view: View): void {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (width === 0 || height === 0) return;
  const pen = clearedPen(canvas);
  pen.font = '11px system-ui, sans-serif';

  const [low, high] = range(curves, view.log);
  const span = view.end - view.begin || 1;
  const x = (time: number): number => LEFT + ((time - view.begin) / span) * (width - LEFT - RIGHT);
  const level = (value: number): number => (view.log ? Math.log10(Math.abs(value)) : value);
  const y = (value: number): number => TOP + (1 - (level(value) - low) / (high - low)) * (height - TOP - BOTTOM);

  drawAxes(pen, width, height, low, high, view, x);
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, TOP - 2, width - LEFT - RIGHT, height - TOP - BOTTOM + 4);
  pen.clip();
  for (const curve of curves) drawCurve(pen, curve, view, x, y);
  pen.restore();
  const line = (time: number, colour: string, dash: number[]): void => {
    pen.setLineDash(dash);
    pen.strokeStyle = colour;
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.moveTo(x(time), TOP - 4);
    pen.lineTo(x(time), height - BOTTOM);
    pen.stroke();
    pen.setLineDash([]);
  };
  if (view.hover !== null) line(view.hover, cssColour('--quiet'), [3, 3]);
  line(view.cursor, cssColour('--accent'), []);
}

function range(curves: Curve[], log: boolean): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const { values } of curves)
    for (const value of values) {
      if (!Number.isFinite(value) || (log && value === 0)) continue;
      const level = log ? Math.log10(Math.abs(value)) : value;
      if (level < low) low = level;
      if (level > high) high = level;
    }
  if (!(low <= high)) return log ? [-1, 0] : [0, 1];
  if (log) {
    const top = Math.ceil(high);
    const bottom = Math.floor(low);
    return [Math.max(bottom, top - MOST_DECADES), Math.max(top, bottom + 1)];
  }
  const margin = Math.max(0.06 * (high - low), 1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-12);
  return [low - margin, high + margin];
}

function drawAxes(
  pen: CanvasRenderingContext2D, width: number, height: number, low: number, high: number, view: View,
  x: (t: number) => number,
): void {
  const quiet = cssColour('--quiet');
  pen.strokeStyle = cssColour('--rule');
  pen.fillStyle = quiet;
  pen.lineWidth = 1;
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  const levels = view.log ? ticks(low, high, 4).filter(Number.isInteger) : ticks(low, high, 4);
  for (const value of levels) {
    const at = Math.round(TOP + (1 - (value - low) / (high - low)) * (height - TOP - BOTTOM)) + 0.5;
    pen.beginPath();
    pen.moveTo(LEFT, at);
    pen.lineTo(width - RIGHT, at);
    pen.stroke();
    const label = view.log ? `1e${String(value).replace('-', '−')}` : short(Number(value.toPrecision(6)), 5);
    pen.fillText(label, LEFT - 6, at);
  }
  pen.textAlign = 'center';
  pen.textBaseline = 'top';
  for (const time of ticks(view.begin, view.end, Math.max(2, (width - LEFT - RIGHT) / 70))) {
    const at = x(time);
    if (at > width - RIGHT - 12) continue; // leaves room for the unit
    pen.beginPath();
    pen.moveTo(Math.round(at) + 0.5, height - BOTTOM);
    pen.lineTo(Math.round(at) + 0.5, height - BOTTOM + 4);
    pen.stroke();
    pen.fillText(timeLabel(time), at, height - BOTTOM + 6);
  }
  pen.textAlign = 'right';
  pen.fillText('s', width - 2, height - BOTTOM + 6);
  pen.textAlign = 'left';
  pen.fillText(view.unit, 4, 0);
}

// Draws the highest and lowest value of each pixel column, so that the number of strokes does not grow with the run.
function drawCurve(
  pen: CanvasRenderingContext2D, { values, colour }: Curve, view: View, x: (t: number) => number,
  y: (v: number) => number,
): void {
  pen.strokeStyle = colour;
  pen.lineWidth = 1.6;
  pen.lineJoin = 'round';
  pen.beginPath();
  let pending = false;
  let i = 0;
  while (i < values.length) {
    const column = Math.floor(x(view.times[i]));
    let lowest = Infinity;
    let highest = -Infinity;
    let last = NaN;
    for (; i < values.length && Math.floor(x(view.times[i])) === column; ++i) {
      const at = y(values[i]);
      if (!Number.isFinite(at)) continue;
      lowest = Math.min(lowest, at);
      highest = Math.max(highest, at);
      last = at;
    }
    if (!(lowest <= highest)) {
      pending = false; // no finite value in this column: a gap in the curve
      continue;
    }
    if (pending) pen.lineTo(column + 0.5, lowest);
    else pen.moveTo(column + 0.5, lowest);
    if (highest > lowest) pen.lineTo(column + 0.5, highest);
    if (last !== highest) pen.lineTo(column + 0.5, last);
    pending = true;
  }
  pen.stroke();
}
