import { ActionButtons, ActionDialog, useActions } from './actions.tsx';
import { adminCall } from './operator-token.ts';
import type { Schemas } from '../parts/api.ts';
import { time } from '../parts/format.ts';
import { Pages } from '../parts/pages-of.tsx';
import { Badge } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

type Switch = Schemas['AdminSwitch'];

const titleOf = ({ kind, isOn }: Switch): string => `Switch ${isOn ? 'off' : 'on'} the ${kind}`;

const Turn = ({
  which,
  onDone,
  onClose,
}: {
  readonly which: Switch;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const { kind, name, isOn } = which;
  const act = useAction(async ({ reason = '' }: Readonly<Record<string, string>>) => {
    const path = `/v1/admin/switches/{kind}/{name}/${isOn ? 'off' : 'on'}` as const;
    await adminCall('post', path, { at: { kind, name }, body: { reason } });
    onDone();
  });
  return (
    <ActionDialog
      title={titleOf(which)}
      about={<span class="mono">{name}</span>}
      act={act}
      isDangerous={isOn}
      onClose={onClose}
    >
      {isOn && <p class="hint">New work is refused and costs nothing. Accepted work continues to its end.</p>}
    </ActionDialog>
  );
};

/** The models for sale and their providers. */
export const Sales = () => {
  const { opened, open, turn, close, done } = useActions<Switch>();
  return (
    <section class="card stack" aria-labelledby="sales">
      <h2 id="sales">Sales</h2>
      <Pages
        title="Providers and models"
        empty="Nothing can be sold"
        turn={turn}
        head={['Name', 'Kind', 'State', 'Why', 'Since', 'Actions']}
        load={async () => ({
          lines: (await adminCall('get', '/v1/admin/switches')).switches,
          nextCursor: null,
        })}
        line={(one) => (
          <tr key={`${one.kind} ${one.name}`}>
            <th scope="row" class="mono">
              {one.name}
            </th>
            <td>{one.kind}</td>
            <td>
              <Badge tone={one.isOn ? 'good' : 'bad'}>{one.isOn ? 'on' : 'off'}</Badge>
            </td>
            <td>{one.reason ?? ''}</td>
            <td class="nowrap">{one.since === undefined ? '' : time(one.since)}</td>
            <td class="nowrap">
              <ActionButtons
                actions={[
                  { action: 'turn', word: one.isOn ? 'Switch off' : 'Switch on', title: titleOf(one) },
                ]}
                about={one.name}
                onAsk={() => open(one)}
              />
            </td>
          </tr>
        )}
      />
      {opened === undefined ? null : <Turn which={opened} onDone={done} onClose={close} />}
    </section>
  );
};
