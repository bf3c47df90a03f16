// The panel of the selected body: mass, pose, joint, contacts.
import { bodiesOf, contactForce } from '../run/contacts';
import { CONTACT, CONTACT_STATES, type Frame, type Scene } from '../run/data';
import { h, iconButton, panel, setPressed } from './dom';
import { fixed, rollPitchYaw, short } from './format';

const MOST_CONTACTS = 24; // rows shown

export class Inspector {
  readonly element: HTMLElement;
  private readonly content = h('div', { class: 'facts', 'data-testid': 'inspector' });
  private readonly title = h('h2', {}, 'Nothing selected');
  private readonly followButton: HTMLButtonElement;
  private readonly focusButton: HTMLButtonElement;

  constructor(private readonly scene: Scene, follow: () => void, focus: () => void) {
    this.followButton = iconButton('follow', 'Follow the selected body with the camera (F)', 'follow', follow);
    this.focusButton = iconButton('focus', 'Fill the view with the selected body (Z)', 'focus', focus);
    this.element = panel('inspector', this.title, [this.focusButton, this.followButton], this.content);
  }

  show(body: number, frame: Frame | undefined, followed: boolean): void {
    this.followButton.disabled = this.focusButton.disabled = body < 0;
    setPressed(this.followButton, followed);
    if (body < 0 || !frame) {
      this.title.textContent = 'Nothing selected';
      this.content.replaceChildren(h('p', { class: 'quiet' },
        'Click a body, here or in the view, to see its mass, pose, joint and contacts.'));
      return;
    }
    const { name, mass, parent } = this.scene.bodies[body];
    this.title.textContent = name || `body ${body}`;
    const p = frame.poses.subarray(7 * body, 7 * body + 7);
    const facts: [string, string][] = [];
    if (body > 0) facts.push(['mass', `${short(mass)} kg`]);
    facts.push(['position, m', `${fixed(p[0], 3)}  ${fixed(p[1], 3)}  ${fixed(p[2], 3)}`]);
    const angles = rollPitchYaw(p[3], p[4], p[5], p[6]).map((angle) => `${fixed(angle, 1)}°`);
    facts.push(['roll pitch yaw', angles.join('  ')]);
    const joint = this.scene.joints.find((each) => each.child === body);
    if (joint) facts.push(['joint', `${joint.name || 'unnamed'} · ${joint.type}`]);
    if (joint?.lower.some((limit, i) => limit !== null || joint.upper[i] != null))
      facts.push(['limits', limitsText(joint.lower, joint.upper)]);
    if (parent > 0) facts.push(['parent', this.scene.bodies[parent].name]);
    for (const loop of this.scene.loops) {
      if (loop.a !== body && loop.b !== body) continue;
      const other = this.scene.bodies[loop.a === body ? loop.b : loop.a].name;
      facts.push(['loop', `${loop.name} · ${loop.kind} to ${other}`]);
    }
    this.content.replaceChildren(
      h('dl', {}, ...facts.flatMap(([key, value]) => [h('dt', {}, key), h('dd', {}, value)])),
      this.contactTable(body, frame),
    );
  }

  private contactTable(body: number, frame: Frame): HTMLElement {
    const rows: HTMLElement[] = [];
    let count = 0;
    for (let c = 0; c < frame.contacts; ++c) {
      const [a, b] = bodiesOf(this.scene, frame, c);
      if (a !== body && b !== body) continue;
      if (++count > MOST_CONTACTS) continue;
      const state = CONTACT_STATES[frame.words[CONTACT.words * c + CONTACT.state]];
      const gap = frame.floats[CONTACT.words * c + CONTACT.gap];
      const { normal, friction } = contactForce(frame, c);
      const dot = h('span', { class: `state ${state}`, title: state });
      rows.push(h('tr', {},
        h('td', { class: 'other' }, dot, this.scene.bodies[a === body ? b : a].name),
        h('td', {}, short(normal, 3)), h('td', {}, short(friction, 3)), h('td', {}, short(gap * 1000, 2))));
    }
    if (count === 0) return h('p', { class: 'quiet' }, 'No contacts.');
    return h('div', {},
      h('table', { class: 'contacts' },
        h('thead', {}, h('tr', {},
          h('th', {}, `${count} contact${count === 1 ? '' : 's'}`),
          h('th', { title: 'normal force' }, 'N, N'),
          h('th', { title: 'magnitude of the friction force' }, 'T, N'),
          h('th', {}, 'gap, mm'))),
        h('tbody', {}, ...rows)),
      count > MOST_CONTACTS && h('p', { class: 'quiet' }, `and ${count - MOST_CONTACTS} more`));
  }
}

function limitsText(lower: (number | null)[], upper: (number | null)[]): string {
  const end = (x: number | null | undefined, sign: string): string => (x == null ? `${sign}∞` : short(x, 4));
  return lower.map((low, i) => `${end(low, '−')} … ${end(upper[i], '')}`).join(', ');
}
