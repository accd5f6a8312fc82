import { Injectable } from '@nestjs/common';

/** Notifies parts that keep something for keys when keys end. A sweep finds missed ones. */
@Injectable()
export class EndedKeyNotifier {
  private readonly listeners: (() => Promise<void>)[] = [];

  listen(listener: () => Promise<void>): void {
    this.listeners.push(listener);
  }

  async notify(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener()));
  }
}
