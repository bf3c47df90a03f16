// The connection to a live run: the websocket /live of docs/viewer_data.md (linchpin/live/live_server.cc).
import {
  type Certificate, DataError, type Frame, parseJson, readFrame, readScene, type Scene, type Vec3,
} from './data';
import { Event } from './event';
import type { LiveControls } from './player';

export interface Status {
  running: boolean; speed: number; rate: number; time: number; steps: number;
  failed: { time: number; body: string; reason: string } | null;
  certificate: Certificate | null;
}

export class LiveConnection implements LiveControls {
  readonly scene = new Event<Scene>();
  readonly frame = new Event<Frame>();
  readonly status = new Event<Status>();
  readonly ended = new Event<string>(); // with the reason
  private readonly socket: WebSocket;
  private known: Scene | null = null;
  private over = false;

  constructor(address: string) {
    this.socket = new WebSocket(address);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = (message) => {
      try {
        this.take(message.data as string | ArrayBuffer);
      } catch (error) {
        if (!(error instanceof DataError)) throw error;
        this.end(`The data from the server cannot be read: ${error.message}.`);
        this.socket.close();
      }
    };
    this.socket.onclose = () => this.end('The connection to the run has ended.');
  }

  play = (): void => this.send({ type: 'play' });
  pause = (): void => this.send({ type: 'pause' });
  step = (): void => this.send({ type: 'step' });
  reset = (): void => this.send({ type: 'reset' });
  speed = (value: number): void => this.send({ type: 'speed', value });
  push = (body: number, at: Vec3, to: Vec3): void => this.send({ type: 'push', body, at, to });
  release = (): void => this.send({ type: 'release' });

  private send(message: object): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private take(data: string | ArrayBuffer): void {
    if (this.over) return;
    if (typeof data !== 'string') {
      if (!this.known) throw new DataError('a frame came before the scene');
      this.frame.emit(readFrame(this.known, data).frame);
      return;
    }
    const message = parseJson(data, 'a message') as { type?: unknown } | null;
    if (message?.type === 'scene') {
      this.known = readScene(message);
      this.scene.emit(this.known);
    } else if (message?.type === 'status') {
      this.status.emit(message as unknown as Status);
    } else {
      throw new DataError(`a message has type ${JSON.stringify(message?.type)}`);
    }
  }

  private end(reason: string): void {
    if (this.over) return;
    this.over = true;
    this.ended.emit(reason);
  }
}
