import type { ProvidedTemporalCluster } from '../../../provision';
import type { Child } from '../../lib/child';
import type { Cleanup } from '../../lib/cleanup';
import { startWorker } from '../../lib/schedulers/schedulers';
import { startTrigger } from '../../lib/trigger-process';

/** The processes that the scene kills and starts again. */
export class Processes {
  #trigger: Child | undefined;
  #worker: Child | undefined;

  constructor(
    private readonly cleanup: Cleanup,
    private readonly server: ProvidedTemporalCluster,
    private readonly databaseUrl: string,
  ) {}

  /**
   * Native Schedules run inside the server, so they die with the server. The trigger is killed too, so that Escapement
   * has no advantage.
   */
  async killServer(): Promise<void> {
    await Promise.all([this.server.crash(), this.#trigger!.kill()]);
  }

  async startServerAgain(): Promise<void> {
    await this.server.startAgain();
    await this.startTrigger();
  }

  async startTrigger(): Promise<void> {
    const trigger = await startTrigger({ databaseUrl: this.databaseUrl, address: this.server.address });
    this.cleanup.add('stopping the trigger', () => trigger.stop());
    this.#trigger = trigger;
  }

  async killWorker(): Promise<void> {
    await this.#worker!.kill();
  }

  async startWorker(): Promise<void> {
    this.#worker = await startWorker(this.cleanup, this.server.address);
  }
}
