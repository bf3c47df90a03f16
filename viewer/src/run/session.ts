// Finds the run to show: a recording inside the page (an export), a recording from the server, or a live run.
import { DataError, decodeBase64, type Frame, parseJson, readRecording, type Scene } from './data';
import { LiveConnection } from './live_connection';

export type Session =
  | { mode: 'recording'; scene: Scene; frames: Frame[] }
  | { mode: 'live'; live: LiveConnection };

export async function openSession(progress: (text: string) => void): Promise<Session> {
  const embedded = document.getElementById('linchpin-recording');
  if (embedded) {
    progress('Reading the recording …');
    const recording = readRecording(decodeBase64(embedded.textContent ?? ''));
    embedded.remove(); // frees the text, which is as large as the recording
    return { mode: 'recording', ...recording };
  }
  if (location.protocol === 'file:')
    throw new DataError(
      'this page contains no recording; `linchpin view MODEL --export page.html` writes a page with one');

  progress('Contacting the server …');
  const session = parseJson(await (await get('session')).text(), '/session') as { mode?: unknown } | null;
  if (session?.mode === 'recording') {
    progress('Loading the recording …');
    return { mode: 'recording', ...readRecording(await (await get('recording')).arrayBuffer()) };
  }
  if (session?.mode !== 'live') throw new DataError(`the server is in mode ${JSON.stringify(session?.mode)}`);
  const address = new URL(`live${tokenQuery()}`, location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return { mode: 'live', live: new LiveConnection(address.href) };
}

// A server that other machines can reach requires the token that the command printed.
function tokenQuery(): string {
  const token = new URLSearchParams(location.search).get('token');
  return token === null ? '' : `?token=${encodeURIComponent(token)}`;
}

async function get(path: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path + tokenQuery());
  } catch {
    throw new DataError('the server does not answer');
  }
  if (!response.ok) throw new DataError(`the server answers /${path} with ${response.status} ${response.statusText}`);
  return response;
}
