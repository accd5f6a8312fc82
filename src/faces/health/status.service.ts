import { Injectable } from '@nestjs/common';

import { Clock } from '#kernel/clock';
import { type ModelHealthRow, ModelHealthRepository } from './model-health.repository';
import { STEPS_OF_WINDOW, type StatusWindow } from './status-windows';
import type { ModelHealth, StatusAnswer } from './status.dto';

/** Everybody may request the answer, so the service computes it only once a minute. */
const KEPT_MS = 60_000;

const rounded = (seconds: number | undefined): number | null =>
  seconds === undefined ? null : Math.round(seconds * 1_000) / 1_000;

const modelsOf = (rows: readonly ModelHealthRow[]): ModelHealth[] =>
  rows
    .filter(({ at }) => at === undefined)
    .map(({ modelId, kind, done, failed, medianSeconds, p95Seconds }) => ({
      modelId,
      kind,
      done,
      failed,
      successRate: done / (done + failed),
      medianSeconds: rounded(medianSeconds),
      p95Seconds: rounded(p95Seconds),
      points: rows.flatMap((row) =>
        row.at === undefined || row.modelId !== modelId || row.kind !== kind
          ? []
          : [
              {
                at: row.at.toISOString(),
                done: row.done,
                failed: row.failed,
                medianSeconds: rounded(row.medianSeconds),
              },
            ],
      ),
    }));

/** The health of each model, for everybody. */
@Injectable()
export class StatusService {
  private readonly kept = new Map<
    StatusWindow,
    { readonly until: number; readonly answer: Promise<StatusAnswer> }
  >();

  constructor(
    private readonly health: ModelHealthRepository,
    private readonly clock: Clock,
  ) {}

  status(window: StatusWindow): Promise<StatusAnswer> {
    const now = this.clock.now();
    const known = this.kept.get(window);
    if (known !== undefined && known.until > now.getTime()) return known.answer;
    const answer = this.measure(window, now);
    this.kept.set(window, { until: now.getTime() + KEPT_MS, answer });
    answer.catch(() => this.kept.delete(window)); // The next request repeats a failed computation.
    return answer;
  }

  /** Steps begin at whole hours and days, so that they are the same in every answer. */
  private async measure(window: StatusWindow, now: Date): Promise<StatusAnswer> {
    const { steps, stepSeconds } = STEPS_OF_WINDOW[window];
    const stepMs = stepSeconds * 1_000;
    const from = new Date((Math.floor(now.getTime() / stepMs) - steps + 1) * stepMs);
    const rows = await this.health.since(from, stepSeconds);
    return { window, from: from.toISOString(), to: now.toISOString(), stepSeconds, models: modelsOf(rows) };
  }
}
