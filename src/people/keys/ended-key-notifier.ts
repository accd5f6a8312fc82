import { Injectable } from '@nestjs/common';

/** Notifies modules that hold something for keys when keys end. A sweep finds keys whose notification was lost. */
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
