import { Expose } from 'class-transformer';
import { IsOptional, MaxLength, MinLength } from 'class-validator';

import type { ProcessVariables } from '../config/process.settings';
import { listOf } from '../config/setting';
import { Choice, Flag, Pattern, Rotating, Secret, Text, Url } from '../config/variables';
import { type SettingsOf, defineSettings } from '../config/settings';

class TelemetryVariables {
  @Choice('trace', 'debug', 'info', 'warn', 'error', 'silent') readonly LOG_LEVEL: string = 'info';
  @Flag() @IsOptional() readonly LOG_REQUEST_IDS?: boolean;
  @Rotating('metricsToken')
  @Expose()
  @IsOptional()
  @MinLength(16)
  @MaxLength(500)
  readonly METRICS_TOKEN?: string;
  @Url() readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  @Secret()
  @Pattern(/^[\w-]+=[^,]+(,[\w-]+=[^,]+)*$/, 'headers such as authorization=…,x-tenant=…')
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string;
  @Text(100) readonly OTEL_SERVICE_NAME: string = 'lamppost';
  @Pattern(/^(1|0|1\.0+|0\.\d{1,3})$/, 'a share from 0 to 1 with three digits at most')
  readonly OTEL_TRACES_SAMPLER_ARG: string = '1';
}

/** Before Node 24, AsyncLocalStorage costs a paid call a sixth more processor time (docs/adr/0041). */
const CONTEXT_IS_CHEAP = Number.parseInt(process.versions.node, 10) >= 24;

/**
 * Decodes a value of OpenTelemetry's variables. There, a comma or a space would separate values, so they are escaped.
 */
const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const headersOf = (text: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    listOf(text).map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), unescaped(pair.slice(at + 1))];
    }),
  );

export const telemetrySettings = defineSettings({
  variables: TelemetryVariables,
  read: (env: TelemetryVariables & ProcessVariables) => ({
    logLevel: env.LOG_LEVEL,
    logRequestIds: env.LOG_REQUEST_IDS ?? (env.NODE_ENV !== 'production' || CONTEXT_IS_CHEAP),
    metricsToken: env.METRICS_TOKEN,
    /** If it is undefined, the service makes no traces. */
    tracing:
      env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: headersOf(env.OTEL_EXPORTER_OTLP_HEADERS),
            service: env.OTEL_SERVICE_NAME,
            keepPermille: Math.round(Number(env.OTEL_TRACES_SAMPLER_ARG) * 1_000),
          },
  }),
});

export type TelemetrySettings = SettingsOf<typeof telemetrySettings>;
