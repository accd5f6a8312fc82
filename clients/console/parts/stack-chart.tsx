import { useId } from 'preact/hooks';

/** One series of a chart, which has one colour. */
export interface Series {
  readonly name: string;
  /** The CSS class of its bars: `s0` to `s6`, or a tone. */
  readonly tone: string;
}

/** One position of a chart, with a value for each series. */
export interface Stack {
  readonly label: string;
  /** The key of the position, if labels may repeat. */
  readonly id?: string;
  readonly values: readonly number[];
  /** The values in words. */
  readonly text: string;
}

const WIDTH = 720;
const HEIGHT = 160;

/**
 * Bars over time in several colours. The list below the chart explains the colours, and a table beside it has the
 * numbers.
 */
export const StackChart = ({
  title,
  series,
  stacks,
  most,
  onPick,
}: {
  readonly title: string;
  readonly series: readonly Series[];
  readonly stacks: readonly Stack[];
  /** The largest stack, in words. */
  readonly most: string;
  readonly onPick?: (place: number) => void;
}) => {
  const id = useId();
  const sums = stacks.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const top = Math.max(...sums) || 1;
  const step = WIDTH / Math.max(1, stacks.length);
  const marks = [0, Math.floor((stacks.length - 1) / 2), stacks.length - 1];
  return (
    <figure class="chart">
      <p class="axis end" aria-hidden="true">
        {most}
      </p>
      <svg
        class="stacks"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby={id}
      >
        <title id={id}>{`${title}; most: ${most}`}</title>
        {[0, 0.5, 1].map((part) => (
          <line
            key={part}
            class="rule"
            x1={0}
            x2={WIDTH}
            y1={HEIGHT - part * HEIGHT}
            y2={HEIGHT - part * HEIGHT}
          />
        ))}
        {stacks.map(({ label, id: name = label, values, text }, place) => {
          let below = 0;
          return (
            <g
              key={name}
              class={onPick === undefined ? undefined : 'pick'}
              onClick={onPick === undefined ? undefined : () => onPick(place)}
            >
              <rect class="clear" x={place * step} y={0} width={step} height={HEIGHT}>
                <title>{`${label}: ${text}`}</title>
              </rect>
              {values.map((value, at) => {
                const tall = value === 0 ? 0 : Math.max(2, (value / top) * HEIGHT);
                below += tall;
                return (
                  <rect
                    key={series[at]?.name}
                    class={`bar-shape ${series[at]?.tone ?? ''}`}
                    x={place * step + step * 0.12}
                    y={HEIGHT - below}
                    width={step * 0.76}
                    height={tall}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <p class="axis" aria-hidden="true">
        {[...new Set(marks)]
          .filter((at) => at >= 0)
          .map((at) => (
            <span key={at}>{stacks[at]?.label}</span>
          ))}
      </p>
      <ul class="legend" aria-label="Colours">
        {series.map(({ name, tone }) => (
          <li key={name}>
            <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <rect class={`bar-shape ${tone}`} width="10" height="10" rx="2" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </figure>
  );
};
