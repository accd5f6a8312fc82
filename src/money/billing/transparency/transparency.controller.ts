import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

import { NotFound } from '#kernel/app-error';
import { PublishedKeys } from '#platform/config/published-keys';
import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { noteText, verifierKey } from '#platform/signatures/signed-note';
import { AnchorRepository } from './anchor.repository';
import { LOG_KEYS } from './log-origin';
import { HASH_BYTES, TILE_WIDTH, parseTilePath } from './merkle-tree';
import type { TransparencyLog } from './transparency-log.entity';
import { TransparencyRepository } from './transparency.repository';

const YEAR_SECONDS = 31_536_000;
const FOR_EVER = `public, max-age=${YEAR_SECONDS}, immutable`;
const BYTES = 'application/octet-stream';
const LEVEL_MAX = 7;
/** The rest of an address, slashes included. */
const REST = '*';
/** The length of an entry, which precedes it in a bundle. */
const ENTRY_HEAD = Buffer.from([0, HASH_BYTES]);

const notThere = (): NotFound =>
  new NotFound(
    'The transparency log has nothing at this address. /transparency/logs lists the logs of this service.',
  );

/** The logs as C2SP tlog-tiles defines them: static resources that every cache may store. */
@ApiTags('billing')
@Controller('transparency')
export class TransparencyController {
  constructor(
    private readonly log: TransparencyRepository,
    private readonly anchors: AnchorRepository,
    private readonly keys: PublishedKeys,
  ) {}

  /** Lists the logs, and the checkpoint that each later log follows. */
  @Get('logs')
  @Header('cache-control', 'public, max-age=5')
  @PublicRoute()
  @ApiOperation({
    summary: 'The transparency logs, in which anybody finds a charge.',
    operationId: 'listLogs',
  })
  @ApiOkResponse({ schema: { type: 'object' } })
  async logs(): Promise<object> {
    const logs = await this.log.all();
    return {
      logs: logs.map(({ id, origin, follows }) => ({
        origin,
        address: id === 1 ? '/transparency' : `/transparency/${id}`,
        verifierKeys: this.keys.of(LOG_KEYS).map((key) => verifierKey(origin, key.publicBytes)),
        isCurrent: id === logs.at(-1)?.id,
        follows,
      })),
    };
  }

  /** The checkpoints on the chain: each transaction carries a signed note. */
  @Get('anchors')
  @Header('cache-control', 'public, max-age=60')
  @PublicRoute()
  @ApiOperation({ summary: 'The checkpoints that are on the chain.', operationId: 'listAnchors' })
  @ApiOkResponse({ schema: { type: 'object' } })
  async onChain(): Promise<object> {
    const anchors = await this.anchors.onChain();
    return {
      anchors: anchors.map(({ day, size, note, network, transaction, block }) => ({
        day,
        origin: noteText(note).split('\n')[0],
        size,
        network,
        transaction,
        block: Number(block),
      })),
    };
  }

  @Get('checkpoint')
  @PublicRoute()
  @ApiOperation({
    summary: 'The signed size and root of the first log.',
    description: 'The tiles and the other files are at the addresses of C2SP tlog-tiles.',
    operationId: 'getCheckpoint',
  })
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  @ApiFailures(404)
  checkpoint(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.checkpointOf(1, reply);
  }

  @Get(':log/checkpoint')
  @ApiExcludeEndpoint()
  laterCheckpoint(
    @Param('log') log: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.checkpointOf(laterLog(log), reply);
  }

  @Get(`tile/entries/${REST}`)
  @ApiExcludeEndpoint()
  entries(@Param(REST) path: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.entriesOf(1, path, reply);
  }

  @Get(`:log/tile/entries/${REST}`)
  @ApiExcludeEndpoint()
  laterEntries(
    @Param('log') log: string,
    @Param(REST) path: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.entriesOf(laterLog(log), path, reply);
  }

  @Get(`tile/:level/${REST}`)
  @ApiExcludeEndpoint()
  tile(
    @Param('level') level: string,
    @Param(REST) path: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.tileOf(1, level, path, reply);
  }

  @Get(`:log/tile/:level/${REST}`)
  @ApiExcludeEndpoint()
  laterTile(
    @Param('log') log: string,
    @Param('level') level: string,
    @Param(REST) path: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.tileOf(laterLog(log), level, path, reply);
  }

  private async checkpointOf(id: number, reply: FastifyReply): Promise<string> {
    const log = await this.log.log(id);
    // The next log names the last checkpoint of this log; the row of this log may have an older one.
    const next = await this.log.log(id + 1);
    const note = next?.follows ?? log?.note;
    if (note === undefined) throw notThere();
    void reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=2');
    return note;
  }

  private async tileOf(id: number, levelText: string, path: string, reply: FastifyReply): Promise<Buffer> {
    const level = /^\d$/.test(levelText) ? Number(levelText) : LEVEL_MAX + 1;
    const part = parseTilePath(path);
    const log = await this.log.log(id);
    if (part === undefined || log === undefined || level > LEVEL_MAX || !isSigned(log, level, part))
      throw notThere();
    const [row] = await this.log.readTiles(id)([{ level, tile: part.tile }]);
    return sent(reply, row?.hashes.subarray(0, part.width * HASH_BYTES));
  }

  private async entriesOf(id: number, path: string, reply: FastifyReply): Promise<Buffer> {
    const part = parseTilePath(path);
    const log = await this.log.log(id);
    if (part === undefined || log === undefined || !isSigned(log, 0, part)) throw notThere();
    const entries = await this.log.commitments(id, part.tile * TILE_WIDTH, part.width);
    return sent(reply, Buffer.concat(entries.flatMap((entry) => [ENTRY_HEAD, entry])));
  }
}

/** The number of a later log; 0 for any other text, because no log has the number 0. */
const laterLog = (text: string): number => (/^[1-9]\d{0,8}$/.test(text) && text !== '1' ? Number(text) : 0);

/** The service shows only entries that a checkpoint covers. */
const isSigned = (
  { publishedSize }: TransparencyLog,
  level: number,
  { tile, width }: { readonly tile: number; readonly width: number },
): boolean => tile * TILE_WIDTH + width <= Math.floor(publishedSize / TILE_WIDTH ** level);

const sent = (reply: FastifyReply, bytes: Buffer | undefined): Buffer => {
  if (bytes === undefined || bytes.length === 0) throw notThere();
  void reply.header('content-type', BYTES).header('cache-control', FOR_EVER);
  return bytes;
};
