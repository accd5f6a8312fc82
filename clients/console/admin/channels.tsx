import { AdminSection } from './section.tsx';
import { adminCall } from './operator-token.ts';
import { money, time } from '../parts/format.ts';
import { Pages } from '../parts/pages-of.tsx';
import { Badge, Empty, Select, Table } from '../parts/ui.tsx';
import { useAddress } from '../parts/use.ts';

const numeric = (text: string) => ({ text, numeric: true }) as const;

/** The beginning and the end of a long id, so that the sums beside it stay visible. */
const short = (id: string): string => `${id.slice(0, 10)}…${id.slice(-6)}`;

/** The sums of each network. */
const Networks = () => (
  <AdminSection
    id="channel-sums"
    title="Payment channels"
    load={() => adminCall('get', '/v1/admin/channels', { query: { limit: 1 } })}
  >
    {({ networks }) =>
      networks.length === 0 ? (
        <Empty title="No network offers channels" />
      ) : (
        <Table
          caption="Channels by network"
          head={['Network', ...['Open', 'Owed', 'At risk', 'Claimed', 'Unspent'].map(numeric), 'Last claim']}
        >
          {networks.map((one) => (
            <tr key={one.network}>
              <th scope="row" class="nowrap">
                {one.network} {one.offered ? null : <Badge tone="calm">not offered</Badge>}
              </th>
              <td class="number">{one.open}</td>
              <td class="number">{money(one.owedMicro)}</td>
              <td class="number">
                {one.atRiskMicro > 0 ? (
                  <Badge tone="bad">{money(one.atRiskMicro)}</Badge>
                ) : (
                  money(one.atRiskMicro)
                )}
              </td>
              <td class="number">{money(one.claimedMicro)}</td>
              <td class="number">{money(one.unspentMicro)}</td>
              <td>
                {one.lastClaimAt === undefined ? (
                  'none yet'
                ) : (
                  <span title={one.lastClaim}>{time(one.lastClaimAt)}</span>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )
    }
  </AdminSection>
);

const CHOICES = [
  { value: '', text: 'all' },
  { value: 'open', text: 'with money' },
  { value: 'owed', text: 'owing' },
  { value: 'at_risk', text: 'at risk' },
] as const;
type State = Exclude<(typeof CHOICES)[number]['value'], ''>;

/** The view of operators on payment channels. */
export const Channels = () => {
  const [address, setAddress] = useAddress();
  const state = address.get('state') ?? '';
  return (
    <>
      <Networks />
      <section class="card stack" aria-labelledby="channels">
        <div class="row apart">
          <h2 id="channels">Channels</h2>
          <Select
            label="State"
            choices={CHOICES}
            value={state}
            onChoose={(value) => setAddress({ state: value })}
          />
        </div>
        <Pages
          title="Payment channels"
          empty="No such channels"
          turn={state}
          head={[
            'Channel',
            'Network',
            'Payer',
            ...['Charged', 'Claimed', 'Deposited'].map(numeric),
            'Last use',
          ]}
          load={async (cursor) => {
            const { channels, nextCursor } = await adminCall('get', '/v1/admin/channels', {
              query: { state: state === '' ? undefined : (state as State), cursor },
            });
            return { lines: channels, nextCursor };
          }}
          line={(channel) => (
            <tr key={channel.channelId}>
              <th scope="row" class="mono">
                <a href={`/v1/agent/x402/channels/${channel.channelId}`} title={channel.channelId}>
                  {short(channel.channelId)}
                </a>{' '}
                {channel.withdrawalPending ? <Badge tone="bad">withdraws</Badge> : null}
              </th>
              <td class="nowrap">{channel.network}</td>
              <td class="mono" title={channel.payer}>
                {short(channel.payer)}
              </td>
              <td class="number">{money(channel.chargedMicro)}</td>
              <td class="number">{money(channel.claimedMicro)}</td>
              <td class="number">{money(channel.balanceMicro)}</td>
              <td class="nowrap">{time(channel.usedAt)}</td>
            </tr>
          )}
        />
      </section>
    </>
  );
};
