// The contacts of a frame: their bodies and forces.
import { CONTACT, type Frame, type Scene } from './data';

export function bodiesOf(scene: Scene, frame: Frame, contact: number): [number, number] {
  const at = CONTACT.words * contact;
  const body = (shape: number): number => scene.shapeByIndex.get(shape)!.body;
  return [body(frame.words[at + CONTACT.a]), body(frame.words[at + CONTACT.b])];
}

// Normal force and magnitude of the friction force of one contact, N.
export function contactForce(frame: Frame, contact: number): { normal: number; friction: number } {
  const f = frame.floats;
  const n = CONTACT.words * contact + CONTACT.normal;
  const k = CONTACT.words * contact + CONTACT.force;
  const normal = f[n] * f[k] + f[n + 1] * f[k + 1] + f[n + 2] * f[k + 2];
  const friction = Math.hypot(f[k] - normal * f[n], f[k + 1] - normal * f[n + 1], f[k + 2] - normal * f[n + 2]);
  return { normal, friction };
}

// Sums over the contacts between two bodies, N; friction is the magnitude of the vector sum.
export function pairForce(scene: Scene, frame: Frame, a: number, b: number): { normal: number; friction: number } {
  let normal = 0;
  const t = [0, 0, 0];
  for (let c = 0; c < frame.contacts; ++c) {
    const [p, q] = bodiesOf(scene, frame, c);
    if (!((p === a && q === b) || (p === b && q === a))) continue;
    const along = contactForce(frame, c).normal;
    const sign = p === a ? 1 : -1; // force and normal change sign with the order of the two bodies
    normal += along;
    const n = CONTACT.words * c + CONTACT.normal;
    const k = CONTACT.words * c + CONTACT.force;
    for (let i = 0; i < 3; ++i) t[i] += sign * (frame.floats[k + i] - along * frame.floats[n + i]);
  }
  return { normal, friction: Math.hypot(t[0], t[1], t[2]) };
}
