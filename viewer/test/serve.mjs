// Starts `linchpin view ...` on a free port and waits for the address that it prints.
import { spawn } from 'node:child_process';

export async function serve(linchpin, ...args) {
  const child = spawn(linchpin, ['view', ...args, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const address = await new Promise((resolve, reject) => {
    const hear = (data) => {
      said += data;
      const found = /http:\/\/\S+/.exec(said);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('exit', (status) => reject(new Error(`linchpin view ${args.join(' ')} ended with ${status}: ${said}`)));
  });
  // When a check throws, the program must not keep this process alive.
  const ends = [child, child.stdout, child.stderr];
  for (const end of ends) end.unref();
  process.on('exit', () => child.kill('SIGKILL'));
  const stop = (signal = 'SIGINT') => new Promise((resolve) => {
    for (const end of ends) end.ref();
    child.removeAllListeners('exit');
    child.on('exit', (status, by) => resolve(status ?? by));
    child.kill(signal);
  });
  return { address, stop };
}
