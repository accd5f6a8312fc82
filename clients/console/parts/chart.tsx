import { useId } from 'preact/hooks';

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value in a readable form. */
  readonly text: string;
}

const WIDTH = 720;
const HEIGHT = 200;
const BELOW = 22;
const LEFT = 4;

/** Bars over time. The label describes the chart for screen readers, and a table beside it has the numbers. */
export const BarChart = ({
  title,
  bars,
  tone = '',
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly tone?: string;
}) => {
  const id = useId();
  const most = Math.max(...bars.map(({ value }) => value)) || 1;
  const top = bars.find(({ value }) => value === most);
  const step = (WIDTH - LEFT * 2) / Math.max(1, bars.length);
  const marks = [0, Math.floor((bars.length - 1) / 2), bars.length - 1];
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + BELOW}`} role="img" aria-labelledby={id}>
        <title
          id={id}
        >{`${title}${top === undefined || top.value === 0 ? '' : `; most: ${top.text}, ${top.label}`}`}</title>
        {[0, 0.5, 1].map((part) => (
          <line
            key={part}
            class="rule"
            x1={0}
            x2={WIDTH}
            y1={HEIGHT - part * (HEIGHT - 18)}
            y2={HEIGHT - part * (HEIGHT - 18)}
          />
        ))}
        {bars.map(({ label, value, text }, at) => {
          const tall = value === 0 ? 0 : Math.max(3, (value / most) * (HEIGHT - 18));
          return (
            <g key={label}>
              <rect
                class={`bar-shape ${tone}`}
                x={LEFT + at * step + step * 0.14}
                y={HEIGHT - tall}
                width={step * 0.72}
                height={tall}
                rx={Math.min(4, step * 0.2)}
              >
                <title>{`${label}: ${text}`}</title>
              </rect>
            </g>
          );
        })}
        <text class="scale" x={WIDTH} y={12} text-anchor="end">
          {top?.value === 0 ? '' : top?.text}
        </text>
        {[...new Set(marks)]
          .filter((at) => at >= 0)
          .map((at) => (
            <text
              key={at}
              class="scale"
              x={LEFT + (at + 0.5) * step}
              y={HEIGHT + 16}
              text-anchor={at === 0 ? 'start' : at === bars.length - 1 ? 'end' : 'middle'}
            >
              {bars[at]?.label}
            </text>
          ))}
      </svg>
    </figure>
  );
};

/** Horizontal bars with names. Each shows its number, so no table is needed. */
export const Shares = ({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) => {
  const most = Math.max(...bars.map(({ value }) => value)) || 1;
  return (
    <dl class="shares" aria-label={title}>
      {bars.map(({ label, value, text }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect class="trough" width={100} height={8} rx={1} />
              <rect class="bar-shape" width={(value / most) * 100} height={8} rx={1} />
            </svg>
            <span class="number">{text}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
};
