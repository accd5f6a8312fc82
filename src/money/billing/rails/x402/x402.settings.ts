import { micro } from '#kernel/money';
import { originsOf } from '#money/networks/networks';
import {
  type NetworkSettings,
  type NetworkVariables,
  networkProblems,
  networksOf,
} from '#money/networks/networks.settings';
import type { SandboxMixVariables } from '#platform/config/sandbox-mix.settings';
import { Flag, Rotating, Text, Whole } from '#platform/config/variables';
import {
  FACILITATOR_HEADERS_RULE,
  type FacilitatorHeaders,
  parseFacilitatorHeaders,
  secretsInHeaders,
} from './facilitators/facilitator-headers';
import { type SettingsOf, defineSettings } from '#platform/config/settings';

class X402Variables {
  @Rotating(['x402.facilitatorHeaders', 'x402.facilitatorHeadersByOrigin'])
  @Text(4_000)
  readonly X402_FACILITATOR_HEADERS?: string;
  @Whole(0, 1_000_000_000) readonly X402_FEE_FLOOR_MICRO: number = 5_000;
  @Flag() readonly X402_LATE_FAILURE_CREDIT: boolean = true;
}

const NO_HEADERS: FacilitatorHeaders = { plain: {}, byOrigin: {} };

const headersOf = ({
  X402_FACILITATOR_HEADERS: text = '{}',
}: X402Variables): FacilitatorHeaders | undefined => parseFacilitatorHeaders(text);

const headerProblems = (env: X402Variables & NetworkVariables & SandboxMixVariables): readonly string[] => {
  const headers = headersOf(env);
  if (headers === undefined) return [`X402_FACILITATOR_HEADERS must be ${FACILITATOR_HEADERS_RULE}`];
  const named = Object.keys(headers.byOrigin);
  if (named.length === 0 || networkProblems(env).length > 0) return [];
  const known = originsOf(networksOf(env));
  const isStrange = named.some((origin) => !known.includes(origin));
  return isStrange ? ['X402_FACILITATOR_HEADERS names an origin of no configured facilitator'] : [];
};

export const x402Settings = defineSettings({
  variables: X402Variables,
  problems: headerProblems,
  read: (env: X402Variables) => {
    const { plain, byOrigin } = headersOf(env) ?? NO_HEADERS;
    return {
      x402: {
        facilitatorHeaders: plain,
        facilitatorHeadersByOrigin: byOrigin,
        feeFloor: micro(BigInt(env.X402_FEE_FLOOR_MICRO)),
        lateFailureCredit: env.X402_LATE_FAILURE_CREDIT,
      },
    };
  },
  secrets: (env: X402Variables) => secretsInHeaders(headersOf(env) ?? NO_HEADERS),
});

/** The networks of payments, with the rules of this rail. */
export type X402Settings = SettingsOf<typeof x402Settings> & NetworkSettings;
