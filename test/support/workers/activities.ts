import { ApplicationFailure } from '@temporalio/activity';

/** Fails whenever it is tried. */
export async function chargeCard(): Promise<void> {
  throw ApplicationFailure.create({ type: 'CardDeclined', message: 'no money' });
}
