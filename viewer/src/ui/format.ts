// Formats numbers for display.
export function short(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'not a number' : x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const plain = size >= 1e-3 && size < 1e6;
  const text = plain
    ? String(Number(x.toPrecision(digits)))
    : x.toExponential(Math.max(0, digits - 2)).replace('e+', 'e');
  return text.replace(/-/g, '−');
}

export const fixed = (x: number, decimals: number): string => x.toFixed(decimals).replace('-', '−');

export const withUnit = (x: number, unit: string, digits = 4): string =>
  (unit ? `${short(x, digits)} ${unit}` : short(x, digits));

export const timeLabel = (seconds: number): string => short(Number(seconds.toPrecision(8)), 6);

// Roll, pitch, yaw in degrees of a unit quaternion w x y z: rotations about the fixed axes x, then y, then z.
export function rollPitchYaw(w: number, x: number, y: number, z: number): [number, number, number] {
  const degrees = 180 / Math.PI;
  const sine = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) * degrees,
    Math.asin(sine) * degrees,
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * degrees,
  ];
}

// Round values for an axis from low to high, about `about` of them.
export function ticks(low: number, high: number, about: number): number[] {
  const rough = (high - low) / Math.max(1, about);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough * 0.999)!;
  const out: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    out.push(i === 0 ? 0 : i * step); // no minus zero
  return out;
}
