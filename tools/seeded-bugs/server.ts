/** Starts the database server of tests once for all planted bugs, until standard input ends. Prints its settings. */
import { prepareTemplate, startTestServer } from '../../test/support/postgres';

const run = async (): Promise<void> => {
  const server = await startTestServer();
  await prepareTemplate(server);
  const { LAMPPOST_TEST_SERVER, LAMPPOST_TEST_MEMORY, TMPDIR } = process.env;
  process.stdout.write(`${JSON.stringify({ LAMPPOST_TEST_SERVER, LAMPPOST_TEST_MEMORY, TMPDIR })}\n`);
  process.stdin.resume().once('end', () => void server.stop());
};

void run();
