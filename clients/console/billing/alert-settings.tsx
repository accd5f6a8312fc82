import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { microOf } from '../parts/format.ts';
import { Form, Loading, Problem, TextInput } from '../parts/ui.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

type Settings = Schemas['AlertsAnswer'];

const usd = (micro: number | undefined): string => (micro === undefined ? '' : String(micro / 1e6));

/** The typed text; undefined if it is empty. The service rejects invalid values. */
const amountIn = (text = ''): number | undefined => (text.trim() === '' ? undefined : (microOf(text) ?? -1));

const percentsIn = (text = ''): number[] =>
  text
    .split(/[\s,%]+/)
    .filter((word) => word !== '')
    .map(Number);

const Thresholds = ({ settings }: { readonly settings: Settings }) => {
  const [saved, setSaved] = useState(false);
  const save = useAction(async ({ low, day, percents }: Readonly<Record<string, string>>) => {
    setSaved(false);
    await call('put', '/v1/account/alerts', {
      body: {
        balanceLowMicro: amountIn(low),
        spendDayMicro: amountIn(day),
        keyPercent: percentsIn(percents),
      },
    });
    setSaved(true);
  });
  return (
    <Form onSend={save.run}>
      <div class="grid">
        <TextInput
          label="The balance is less than, in USD"
          name="low"
          inputMode="decimal"
          autoComplete="off"
          defaultValue={usd(settings.balanceLowMicro)}
          hint="0 turns this warning off. Empty restores the default."
        />
        <TextInput
          label="The spending of a day is more than, in USD"
          name="day"
          inputMode="decimal"
          autoComplete="off"
          placeholder="never"
          defaultValue={usd(settings.spendDayMicro)}
        />
        <TextInput
          label="A key has spent this percentage of a limit"
          name="percents"
          autoComplete="off"
          placeholder="never"
          defaultValue={settings.keyPercent.join(', ')}
          hint="One or several, with commas between them."
        />
      </div>
      <Problem error={save.error} />
      <div role="status">
        {saved ? <p class="notice good">Saved. These warnings apply from now on.</p> : null}
      </div>
      <button class="primary" disabled={save.running}>
        Save alerts
      </button>
    </Form>
  );
};

/**
 * Settings of the alerts about low funds. Alerts appear here, as events and webhooks, and by e-mail if that is
 * configured.
 */
export const AlertSettings = () => {
  const { data, error } = useLoaded((signal) => call('get', '/v1/account/alerts', { signal }), []);
  return (
    <section class="card stack" aria-labelledby="alerts">
      <h2 id="alerts">Warn when</h2>
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading /> : <Thresholds settings={data} />}
    </section>
  );
};
