// Colours of the 3-D view. Bodies are coloured in turn, so that neighbours in a chain or a stack differ.
import { Color } from 'three';

export type Theme = 'light' | 'dark';

const BODIES = [
  '#4f8fd9', '#e8935a', '#5bb59a', '#d9697a', '#9a82d6', '#d8b14a', '#4fb3c8', '#c77fb5', '#86b454', '#b98a68',
];

export const bodyColour = (body: number): Color =>
  body === 0 ? new Color('#9aa3ad') : new Color(BODIES[(body - 1) % BODIES.length]);

// In the order of CONTACT_STATES: separating, sticking, sliding. style.css has the same colours for the legend.
export const CONTACT_COLOURS = ['#8a94a3', '#22b573', '#ff7a1a'].map((c) => new Color(c));

export const AXES = ['#e5484d', '#30a46c', '#3e7bfa'].map((c) => new Color(c));
export const JOINT = new Color('#8e6cf0');
export const LOOP = new Color('#e0409a');
export const CENTRE = new Color('#f5c400');
export const PUSH = new Color('#ff3d71');
export const SELECTION = new Color('#ffb020');

export interface Surroundings {
  sky: string; ground: string; line: string; bright: string; floor: string; sun: number; hemisphere: number;
}

export const SURROUNDINGS: Record<Theme, Surroundings> = {
  light: {
    sky: '#eef2f7', ground: '#c9d2dd', line: '#8795a6', bright: '#ffffff', floor: '#e3e8ee', sun: 2.3, hemisphere: 1.7,
  },
  dark: {
    sky: '#12161c', ground: '#2a313b', line: '#5b6878', bright: '#c7d6ea', floor: '#232a33', sun: 2.2, hemisphere: 1.15,
  },
};
