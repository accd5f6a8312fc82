import type { Clock } from '../../../../kernel/clock';
import type { Settings } from '../../../../platform/config/settings';
import type { Database } from '../../../../platform/database/database';
import type { Metrics } from '../../../../platform/telemetry/metrics';
import type { Facilitator } from '../facilitator';
import { SandboxFacilitator } from './sandbox-facilitator';

interface Needs {
  readonly settings: Settings;
  readonly db: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** The one that the settings name. */
export const makeFacilitator = ({ db, clock }: Needs): Facilitator => new SandboxFacilitator(db, clock);
