import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { runCommand } from '../support/code-blocks';
import { ListingVendor } from '../support/listing-vendor';
import { World } from '../support/world';

const COMMAND = ['-r', './tools/typescript.cjs', 'src/models-command.ts'];

describe('the command that lists models', () => {
  it('shows the facts of the operators’ page, as a table and as JSON', async () => {
    const vendor = await new ListingVendor().start();
    vendor.sells('claude-opus-5', 'unpriced-1x');
    const env = {
      SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef',
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
      ALLOW_SANDBOX_MIX: 'true',
    };
    const world = await World.start(env);
    await world.app.get(VendorLists, { strict: false }).ask();
    const admin = { authorization: 'Bearer an-admin-token-for-tests' };
    await world.send({
      method: 'PATCH',
      url: '/v1/admin/models/claude-opus-5',
      headers: { ...admin, 'content-type': 'application/json' },
      payload: JSON.stringify({ markup: '2/1' }),
    });
    const run = (...words: string[]) =>
      runCommand(process.execPath, [...COMMAND, ...words], process.cwd(), {
        ...env,
        DATABASE_URL: world.settings.databaseUrl!,
      });

    const json = await run('--json');
    expect([json.exitCode, json.errors]).toEqual([0, '']);
    const { models } = (await world.get('/v1/admin/models', admin)).body;
    expect(JSON.parse(json.output)).toEqual({ models });

    const { output } = await run('anthropic/');
    expect(output).toMatch(/^claude-opus-5 +anthropic +yes +5\.00\/25\.00 +10\.00\/50\.00 +million tokens$/m);
    expect(output).toMatch(/^unpriced-1x +anthropic +no .*it is no model|the book does not have it$/m);
    await world.stop();
    await vendor.stop();
  });
});
