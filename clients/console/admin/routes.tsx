import { AdminSection } from './section.tsx';
import { adminCall } from './operator-token.ts';
import { Badge, Table } from '../parts/ui.tsx';

const TONES: Readonly<Record<string, 'good' | 'bad' | 'busy'>> = {
  closed: 'good',
  'half-open': 'busy',
  paused: 'busy',
  open: 'bad',
};

/**
 * The state of the circuit breaker in plain words. An open circuit breaker stops calls, but operators may understand
 * "open" as the opposite.
 */
const STATES: Readonly<Record<string, string>> = {
  closed: 'in use',
  'half-open': 'gets one call',
  paused: 'rate limited',
  open: 'rests',
};

const secondsText = (seconds: number): string => (seconds === 0 ? '' : `${seconds} s`);

/** The routes of each model in the order of the catalog, with the health of each. */
export const Routes = () => (
  <AdminSection id="routes" title="Routes" load={() => adminCall('get', '/v1/admin/routes')}>
    {({ models }) => (
      <>
        <Table
          caption="Routes of each model"
          head={[
            'Model',
            'Order',
            'Route',
            'State',
            { text: 'Calls', numeric: true },
            { text: 'Failures', numeric: true },
            { text: 'Speed', numeric: true },
            { text: 'Pause', numeric: true },
          ]}
        >
          {models.flatMap(({ id, routing, isRetired, routes }) =>
            routes.map((route) => (
              <tr key={`${id} ${route.provider} ${route.model}`}>
                <th scope="row">
                  {id} {isRetired ? <Badge tone="bad">retired</Badge> : null}
                </th>
                <td>{routing}</td>
                <td class="mono">{`${route.provider} ${route.model}`}</td>
                <td>
                  <Badge tone={TONES[route.state] ?? 'busy'}>{STATES[route.state] ?? route.state}</Badge>
                </td>
                <td class="number">{route.calls}</td>
                <td class="number">{route.failures}</td>
                <td class="number">{route.speedMs === undefined ? '' : `${route.speedMs} ms`}</td>
                <td class="number">{secondsText(route.pausedSeconds)}</td>
              </tr>
            )),
          )}
        </Table>
        <p class="hint">
          Calls, failures and speed are those of the process that answers, in the last five minutes. A pause
          after a rate limit applies to all processes. The log of a call names the routes that it tried.
        </p>
      </>
    )}
  </AdminSection>
);
