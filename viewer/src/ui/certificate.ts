// The certificate of the run: its verdict and its figures. The groups and names are those of
// linchpin/record/certificate_json.cc; a figure without an entry in FACTS is shown under its own name.
import { toneOf, verdictOf, type Certificate } from '../run/data';
import { h, panel } from './dom';
import { withUnit } from './format';

interface Fact { label: string; unit: string }

const FACTS: Record<string, Fact> = {
  'energy.relative_defect': { label: 'energy defect, relative', unit: '' },
  'energy.tolerance': { label: 'energy defect, allowed', unit: '' },
  'energy.largest_defect': { label: 'energy defect, largest', unit: 'J' },
  'energy.exchanged': { label: 'energy exchanged', unit: 'J' },
  'energy.unresolved': { label: 'energy too small to judge', unit: 'J' },
  'energy.start': { label: 'energy at start', unit: 'J' },
  'energy.stored': { label: 'energy now', unit: 'J' },
  'energy.work': { label: 'work done', unit: 'J' },
  'energy.dissipated': { label: 'energy dissipated', unit: 'J' },
  'energy.lost': { label: 'energy lost', unit: 'J' },
  'energy.projected': { label: 'energy change by projection', unit: 'J' },
  'energy.largest_projection': { label: 'energy change by projection, largest', unit: 'J' },
  'energy.created': { label: 'energy created', unit: 'J' },
  'energy.defect': { label: 'energy defect now', unit: 'J' },
  'contact.residual': { label: 'contact residual', unit: '' },
  'contact.cone_violation': { label: 'friction cone violation', unit: 'N s' },
  'contact.penetration': { label: 'penetration', unit: 'm' },
  'contact.penetration_limit': { label: 'penetration, allowed', unit: 'm' },
  'contact.overrun': { label: 'joints beyond their range', unit: 'rad or m' },
  'contact.overrun_limit': { label: 'joints beyond their range, allowed', unit: 'rad or m' },
  'contact.most_contacts': { label: 'contacts, maximum', unit: '' },
  'contact.impact_loss': { label: 'lost in impacts', unit: 'J' },
  'contact.contact_loss': { label: 'lost in contact', unit: 'J' },
  'constraints.loop_error': { label: 'loop error', unit: 'm or rad' },
  'constraints.loop_speed': { label: 'loop speed', unit: 'm/s or rad/s' },
  time: { label: 'time', unit: 's' },
};

// Always shown; the other figures are under "All figures".
const FIRST = [
  'energy.relative_defect', 'contact.penetration', 'contact.residual', 'contact.cone_violation',
  'constraints.loop_error',
];

export class CertificatePanel {
  readonly element: HTMLElement;
  private readonly badge = h('span', { class: 'badge', 'data-testid': 'certificate-badge' }, 'none yet');
  private readonly reason = h('p', { class: 'reason', hidden: true });
  private readonly first = h('dl', { 'data-testid': 'certificate-figures' });
  private readonly rest = h('dl', {});
  private shown = '';

  constructor() {
    this.element = panel('certificate', h('h2', {}, 'Certificate'), [this.badge],
      this.reason, this.first,
      h('details', {}, h('summary', {}, 'All figures'), this.rest));
  }

  show(certificate: Certificate | null): void {
    const text = JSON.stringify(certificate);
    if (text === this.shown) return;
    this.shown = text;
    if (!certificate) return;
    const verdict = verdictOf(certificate);
    this.badge.textContent = verdict;
    this.badge.className = `badge ${toneOf(verdict)}`;
    const reason = typeof certificate.reason === 'string' ? certificate.reason : '';
    this.reason.textContent = reason;
    this.reason.className = `reason ${toneOf(verdict)}`;
    this.reason.hidden = reason === '';

    const figures = flatten(certificate);
    const row = ([key, value]: [string, number | null]): HTMLElement[] => {
      const fact = FACTS[key] ?? { label: key.replace(/^.*\./, '').replaceAll('_', ' '), unit: '' };
      return [h('dt', {}, fact.label), h('dd', {}, value === null ? 'none' : withUnit(value, fact.unit, 3))];
    };
    const first = FIRST.filter((key) => figures.has(key));
    this.first.replaceChildren(...first.flatMap((key) => row([key, figures.get(key)!])));
    this.rest.replaceChildren(...[...figures].filter(([key]) => !FIRST.includes(key)).flatMap(row));
  }
}

function flatten(value: object, prefix = '', out = new Map<string, number | null>()): Map<string, number | null> {
  for (const [key, inner] of Object.entries(value)) {
    const name = prefix + key;
    if (typeof inner === 'number' || (inner === null && name in FACTS)) out.set(name, inner as number | null);
    else if (typeof inner === 'object' && inner !== null) flatten(inner, `${name}.`, out);
  }
  return out;
}
