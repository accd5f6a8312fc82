import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';
import { Client, escapeIdentifier } from 'pg';

import { Outage } from '../background/outage';

export interface Subscription {
  readonly channel: string;
  readonly onNotice: (payload: string) => void;
  /** Called after a reconnection, because notifications in the meantime were lost. */
  readonly onGap?: () => void;
}

const FIRST_BACKOFF_MS = 50;
/**
 * The longest pause before a reconnection. Even with jitter it is below 5 seconds, the limit for recovery after an
 * outage.
 */
const LONGEST_BACKOFF_MS = 2_500;

/** One connection that listens to all channels, and that reconnects. */
export class NotificationListener {
  private readonly logger = new Logger('Database');
  private readonly outage = new Outage('Hearing notices of the database', this.logger);
  private readonly subscriptions = new Set<Subscription>();
  private connecting?: Promise<Client>;
  private current?: Client;
  private asking: Promise<unknown> = Promise.resolve();
  private closed = false;
  private readonly closing = new AbortController();

  constructor(private readonly url: string) {}

  /** Resolves once notifications arrive; the returned function ends the subscription. */
  async listen(subscription: Subscription): Promise<() => Promise<void>> {
    this.subscriptions.add(subscription);
    const { channel } = subscription;
    // If the connection is lost at this moment, its reconnection also listens to this subscription.
    for (let listening = false; !listening && !this.closed;) {
      const client = await this.connection();
      listening = await this.ask(client, `listen ${escapeIdentifier(channel)}`).then(
        () => true,
        () => pause(FIRST_BACKOFF_MS, false),
      );
    }
    return async () => {
      this.subscriptions.delete(subscription);
      if (!this.channels().has(channel)) {
        const { current } = this;
        if (current === undefined) return;
        await this.ask(current, `unlisten ${escapeIdentifier(channel)}`).catch(() => undefined);
      }
    };
  }

  /** The driver wants one statement at a time, and many parts of the service begin to listen at once. */
  private ask(client: Client, text: string): Promise<unknown> {
    const answer = this.asking.then(() => client.query(text));
    this.asking = answer.catch(() => undefined);
    return answer;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.closing.abort();
    const client = await this.connecting?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  private channels(): Set<string> {
    return new Set([...this.subscriptions].map(({ channel }) => channel));
  }

  private connection(): Promise<Client> {
    return (this.connecting ??= this.connectUntilDone());
  }

  private async connectUntilDone(): Promise<Client> {
    for (let backoff = FIRST_BACKOFF_MS; ; backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS)) {
      try {
        const client = await this.connect();
        this.outage.worked();
        return client;
      } catch (error) {
        if (this.closed) throw error;
        this.outage.failed(error);
        await pause(backoff * (0.5 + Math.random()), undefined, { signal: this.closing.signal });
      }
    }
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.url,
      application_name: 'lamppost listener',
      connectionTimeoutMillis: 5_000,
      // A connection that only listens would never detect that the server has gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on('error', () => undefined); // An end event follows each error, and the reconnection begins there.
    client.on('notification', ({ channel, payload = '' }) => this.deliver(channel, payload));
    try {
      await client.connect();
      for (const channel of this.channels()) {
        await client.query(`listen ${escapeIdentifier(channel)}`);
      }
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    client.once('end', () => this.reconnect());
    this.current = client;
    return client;
  }

  private reconnect(): void {
    this.current = undefined;
    if (this.closed) return;
    this.outage.failed(new Error('The connection was lost.'));
    this.connecting = this.connectUntilDone();
    this.connecting.then(
      () => this.subscriptions.forEach((subscription) => this.guard(() => subscription.onGap?.())),
      () => undefined,
    );
  }

  private deliver(channel: string, payload: string): void {
    for (const subscription of this.subscriptions) {
      if (subscription.channel === channel) this.guard(() => subscription.onNotice(payload));
    }
  }

  /** The other subscribers must get the notification even if one handler throws. */
  private guard(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.logger.error(error);
    }
  }
}
