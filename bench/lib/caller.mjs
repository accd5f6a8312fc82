/** Creates an account with a key and many credits through the public API. */
export const fundedKey = async (url) => {
  const json = { 'content-type': 'application/json', origin: url };
  const post = async (path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return { body: await answer.json(), cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] };
  };
  const { body: account, cookie } = await post('/v1/account/register', {
    email: `bench-${Date.now()}@example.test`,
    password: 'a passphrase for the bench',
  });
  const { body: key } = await post('/v1/account/keys', { name: 'bench', expiresInDays: 30 }, { cookie });
  await post(
    `/v1/admin/accounts/${account.id}/credit`,
    { amountMicro: 10_000_000_000, reason: 'bench' },
    { authorization: 'Bearer an-admin-token-for-the-bench' },
  );
  return key.key;
};
