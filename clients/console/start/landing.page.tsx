import { type Schemas, call } from '../parts/api.ts';
import { Calculator } from '../models/calculator.tsx';
import { AudioModels } from '../models/audio-models.tsx';
import { FirstCalls } from './first-calls.tsx';
import { decimalsOf, money } from '../parts/format.ts';
import { modeName } from '../models/media-options.tsx';
import { facts, show } from '../parts/shell.tsx';
import { Badge, Loading, Problem, Table } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

const Lamp = () => (
  <svg viewBox="0 0 200 360" aria-hidden="true">
    <defs>
      <linearGradient id="cone" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="#ffc04d" stop-opacity=".5" />
        <stop offset="1" stop-color="#ffc04d" stop-opacity="0" />
      </linearGradient>
    </defs>
    <path d="M84 74 0 360h200L116 74z" fill="url(#cone)" />
    <path d="M96 74h8v274h-8zM80 348h40v12H80z" fill="currentColor" />
    <path d="M92 22h16v10H92z" fill="currentColor" />
    <path d="M78 36h44l-8 38H86z" fill="#ffc04d" />
    <path d="M72 30h56l-6 8H78z" fill="currentColor" />
  </svg>
);

const Hero = () => (
  <section class="hero">
    <Lamp />
    <div>
      <h1>
        Images, videos, audio and text, <em>by the call.</em>
      </h1>
      <p>
        For scripts and agents. You see the exact price first, you pay only for what succeeds, and later
        failures are refunded. No subscription, and no account if you pay with x402.
      </p>
      <div class="row">
        <a class="button primary large" href={facts.signedIn ? 'studio' : 'account/sign-up'}>
          {facts.signedIn ? 'Open the studio' : 'Make an account'}
        </a>
        <a class="button large" href="docs">
          Read the API
        </a>
      </div>
    </div>
  </section>
);

const Ways = () => (
  <section class="stack" aria-labelledby="ways">
    <h2 id="ways">Four ways to pay</h2>
    <div class="grid ways">
      <div class="card">
        <h3>x402, without an account</h3>
        <p>
          The service answers 402 with the exact price in USDC. Sign a payment and send the call again. Stock
          clients of x402 and MPP do so.
        </p>
      </div>
      <div class="card">
        <h3>A payment channel</h3>
        <p>
          No account either. Deposit USDC once, and sign a voucher for each call. Chat costs the tokens it
          uses, and no call waits for the chain. Not on every network.
        </p>
      </div>
      <div class="card">
        <h3>A prepaid wallet</h3>
        <p>
          Top a wallet up on chain once, then sign a header. No transaction per call, and a discount that
          grows with what you paid in.
        </p>
      </div>
      <div class="card">
        <h3>An API key</h3>
        <p>
          Credits by card, spent with <code>x-api-key</code>. Each key has its own limit, expiry and switch.
          Any OpenAI client works.
        </p>
      </div>
    </div>
  </section>
);

const least = ({ pricing }: Schemas['MediaModelAnswer']): number =>
  Math.min(...Object.values(pricing.priceMicro));

const Catalog = ({ catalog }: { readonly catalog: Schemas['ModelsAnswer'] }) => {
  const decimals = decimalsOf(catalog.models.map(least));
  return (
    <>
      <section class="stack" aria-labelledby="media">
        <h2 id="media">Images and videos</h2>
        <div class="card">
          <Table
            caption="Media models"
            class="log"
            head={['Model', 'Makes', { text: 'Choices', roomy: true }, { text: 'From', numeric: true }]}
          >
            {catalog.models.map((model) => (
              <tr key={model.id}>
                <th scope="row">
                  <a href={`models/${model.id}`}>{model.name}</a> <span class="soft mono">{model.id}</span>
                </th>
                <td>
                  {modeName(model.mode)}
                  {model.audio ? ', with sound' : ''}{' '}
                  {model.private === true ? <Badge tone="calm">private</Badge> : null}
                </td>
                <td class="soft roomy">
                  {[
                    [...model.resolutions, ...model.imageSizes].join(', '),
                    model.durations.length > 0 ? `${model.durations.join(', ')} s` : '',
                  ]
                    .filter((part) => part !== '')
                    .join('; ')}
                </td>
                <td class="number">
                  {money(least(model), decimals)} {model.pricing.unit === 'image' ? 'an image' : 'a second'}
                </td>
              </tr>
            ))}
          </Table>
        </div>
      </section>
      <AudioModels audioModels={catalog.audioModels} />
      <section class="stack" aria-labelledby="text">
        <h2 id="text">Text</h2>
        <p class="soft">
          Dollars per million tokens. <code>/v1/agent/chat</code> has one price per call, known beforehand;{' '}
          <code>/v1/chat/completions</code> charges the tokens really used, at the catalog's rate.
        </p>
        <div class="card">
          <Table
            caption="Text models"
            class="log"
            head={[
              'Model',
              { text: 'Also', roomy: true },
              { text: 'Agent chat, in', numeric: true, roomy: true },
              { text: 'Agent chat, out', numeric: true, roomy: true },
              { text: 'Completions, in', numeric: true },
              { text: 'Completions, out', numeric: true },
            ]}
          >
            {catalog.textModels.map((model) => (
              <tr key={model.id}>
                <th scope="row">
                  <a href={`models/${model.id}`}>{model.name}</a> <span class="soft mono">{model.id}</span>
                </th>
                <td class="soft roomy">
                  {[
                    model.reasoning === true ? 'reasons' : '',
                    model.vision === true ? 'reads images' : '',
                    model.openWeights === true ? 'open weights' : '',
                  ]
                    .filter((part) => part !== '')
                    .join(', ')}
                </td>
                <td class="number roomy">${model.chatInputUsdPerMtok}</td>
                <td class="number roomy">${model.chatOutputUsdPerMtok}</td>
                <td class="number">${model.inputUsdPerMtok}</td>
                <td class="number">${model.outputUsdPerMtok}</td>
              </tr>
            ))}
          </Table>
        </div>
      </section>
    </>
  );
};

const Landing = () => {
  const { data, error } = useLoaded((signal) => call('get', '/v1/agent/models', { signal }), []);
  return (
    <>
      <Hero />
      <Ways />
      <section class="stack" aria-labelledby="price">
        <h2 id="price">What would it cost?</h2>
        <Problem error={error} />
        {data === undefined ? error === undefined && <Loading /> : <Calculator catalog={data} />}
      </section>
      <section class="stack" aria-labelledby="calls">
        <h2 id="calls">First calls</h2>
        <FirstCalls />
        <p class="soft">
          More: the <a href="docs">reference</a>, a <a href="v1/agent/guide.md">guide for language models</a>,
          the <a href="openapi.json">OpenAPI document</a>, and <a href="status">how the service is doing</a>.
        </p>
      </section>
      {data === undefined ? null : <Catalog catalog={data} />}
      <p>
        <a class="button" href="models">
          Compare the models
        </a>
      </p>
    </>
  );
};

show(<Landing />, { wide: true });
