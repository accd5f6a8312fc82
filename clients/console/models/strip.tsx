import { count, time } from '../parts/format.ts';
import { percent } from './measured.ts';
import type { Health as Model, Status } from './model-facts.ts';

/** Every step of the window, including steps without calls, because gaps matter too. */
export const stepsOf = ({ from, to, stepSeconds }: Status, { points }: Model) => {
  const start = Date.parse(from);
  const length = Math.floor((Date.parse(to) - start) / 1_000 / stepSeconds) + 1;
  return Array.from({ length }, (_, index) => {
    const at = new Date(start + index * stepSeconds * 1_000).toISOString();
    return { at, point: points.find((one) => one.at === at) };
  });
};

const HEIGHT = 28;

/** A bar for each step, filled by the share of successful calls. */
export const Strip = ({ status, model }: { readonly status: Status; readonly model: Model }) => {
  const steps = stepsOf(status, model);
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${steps.length * 6} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${model.modelId}: ${percent(model.successRate)} of ${count(model.done + model.failed, 'call')} succeeded`}
    >
      {steps.map(({ at, point }, index) => {
        const all = point === undefined ? 0 : point.done + point.failed;
        const good = point === undefined ? 0 : (point.done / all) * HEIGHT;
        return (
          <g key={at}>
            <rect
              class={all === 0 ? 'trough' : 'bar-shape bad'}
              x={index * 6}
              width={4}
              height={HEIGHT}
              rx={1.5}
            />
            {good === 0 ? null : (
              <rect class="bar-shape good" x={index * 6} y={HEIGHT - good} width={4} height={good} rx={1.5} />
            )}
            <title>
              {time(at)}: {point === undefined ? 'no calls' : `${point.done} of ${all} succeeded`}
            </title>
          </g>
        );
      })}
    </svg>
  );
};
