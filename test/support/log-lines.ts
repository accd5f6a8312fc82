import { credentials } from '../../src/billing/rails';
import { ServiceLog, createLog } from '../../src/platform/telemetry/log';
import type { World } from './world';

/** Everything that the service logs from now on, down to the finest level, as the lines an operator would find. */
export const captureLog = (world: World): { readonly lines: string[] } => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  world.app.useLogger(
    new ServiceLog(
      createLog(
        { mode: 'test', logLevel: 'trace', secrets: world.settings.secrets },
        credentials(),
        destination,
      ),
    ),
  );
  return { lines };
};
