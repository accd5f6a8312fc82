import { AdminSection } from './section.tsx';
import { adminCall } from './operator-token.ts';
import type { Schemas } from '../parts/api.ts';
import { money } from '../parts/format.ts';
import { MarginChart } from './margin-chart.tsx';
import { Badge, Empty, Table } from '../parts/ui.tsx';

type Day = Schemas['DayMargin'];

const NUMBERS = ['Calls', 'Charged', 'Cost', 'Margin'].map((text) => ({ text, numeric: true }) as const);

const nameOf = (modelId: string): string => (modelId === '' ? 'without a model' : modelId);

const Figures = (sums: Pick<Day, 'calls' | 'revenueMicro' | 'costMicro' | 'marginMicro'>) => (
  <>
    <td class="number">{sums.calls}</td>
    <td class="number">{money(sums.revenueMicro)}</td>
    <td class="number">{money(sums.costMicro)}</td>
    <td class="number">{money(sums.marginMicro)}</td>
  </>
);

const routesText = ({ routes }: Day): string =>
  routes
    .map(({ provider, model, calls, unusedCalls, costMicro }) => {
      const unused = unusedCalls === 0 ? '' : `, ${unusedCalls} unused`;
      return `${provider} ${model}: ${calls} calls${unused}, ${money(costMicro)}`;
    })
    .join('; ');

/** The charges of each model, and its cost at the vendors. */
export const Margins = () => (
  <AdminSection id="margins" title="Margins" load={() => adminCall('get', '/v1/admin/margins')}>
    {({ days, models }) =>
      days.length === 0 ? (
        <Empty title="No calls in the last 30 days" />
      ) : (
        <>
          <MarginChart days={days} />
          <Table caption="Models, the lowest margin first" head={['Model', 'State', ...NUMBERS]}>
            {models.map((model) => (
              <tr key={model.modelId}>
                <th scope="row">{nameOf(model.modelId)}</th>
                <td>
                  <Badge tone={model.status === 'ok' ? 'good' : 'bad'}>
                    {model.status === 'ok' ? 'ok' : 'below cost'}
                  </Badge>
                </td>
                <Figures {...model} />
              </tr>
            ))}
          </Table>
          <Table caption="Days, newest first" head={['Day', 'Model', ...NUMBERS, 'Vendors']}>
            {days.map((day) => (
              <tr key={`${day.day} ${day.modelId}`}>
                <th scope="row" class="nowrap">
                  {day.day}
                </th>
                <td>{nameOf(day.modelId)}</td>
                <Figures {...day} />
                <td>{routesText(day)}</td>
              </tr>
            ))}
          </Table>
          <p class="hint">
            Top-ups are not counted. A cost follows the vendor's answer where it names one, and the rates of
            the catalog elsewhere.
          </p>
        </>
      )
    }
  </AdminSection>
);
