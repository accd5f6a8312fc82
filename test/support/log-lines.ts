import { credentials } from '#money/billing/rails/rail-order';
import { ServiceLog, createLog } from '#platform/telemetry/log';
import type { World } from './world';

/** All later log lines of the service, including the finest level, as an operator would find them. */
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
