import { createInterface } from 'node:readline';
import { Trigger } from '../../../trigger';
import { ManualClock } from '../ledger-clock';

/**
 * A trigger process that runs one pass for each line that it reads, and reports when it is done. Arguments: database
 * URL, Temporal address, and the instant of its clock.
 */
async function main([connectionString, address, instant]: string[]): Promise<void> {
  const trigger = await Trigger.createTuned({
    connectionString,
    connection: { address },
    clock: new ManualClock(instant!),
  });
  await trigger.passes.heartbeat();
  process.stdout.write(`ready ${trigger.id}\n`);
  for await (const pass of createInterface({ input: process.stdin })) {
    process.stdout.write(`begin ${pass}\n`);
    await trigger.passes[pass as 'claim' | 'dispatch']();
    process.stdout.write(`done ${pass}\n`);
  }
}

void main(process.argv.slice(2));
