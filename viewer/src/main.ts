// Opens the session and shows it: a recording at once, a live run with its first frame.
import './style.css';
import { App } from './app';
import { DataError } from './run/data';
import { History } from './run/history';
import { openSession } from './run/session';
import { installProbe } from './test_probe';
import { notice } from './ui/notice';
import { ThemeChoice } from './ui/theme';

const root = document.getElementById('app')!;
const probe = installProbe();
const theme = new ThemeChoice();

function stop(reason: string): void {
  probe.fail(reason);
  notice(root, 'Nothing to show', reason.charAt(0).toUpperCase() + reason.slice(1), true);
}

async function start(): Promise<void> {
  const session = await openSession((text) => notice(root, 'linchpin', text));
  if (session.mode === 'recording') {
    const app = new App(new History(session.scene, session.frames), null, theme, root);
    probe.attach(app, 'recording');
    app.player.play();
    return;
  }
  const { live } = session;
  notice(root, 'linchpin', 'Waiting for the run …');
  let history: History | null = null;
  let app: App | null = null;
  live.scene.on((scene) => (history = new History(scene)));
  live.frame.on((frame) => {
    if (app || !history) return;
    history.append(frame);
    app = new App(history, live, theme, root);
    probe.attach(app, 'live');
  });
  live.ended.on((reason) => {
    if (!app) stop(reason);
  });
}

start().catch((error: unknown) => {
  if (error instanceof DataError) stop(error.message);
  else {
    stop(`the page failed: ${String(error)}`);
    throw error;
  }
});
