import { specInWords } from '../../core/occurrences/describe';

/** When a spec fires, in words; or the reason why it cannot be evaluated. */
export function wordsOf(spec: Parameters<typeof specInWords>[0], scheduleId: string | undefined): string[] {
  try {
    return specInWords(spec, scheduleId);
  } catch (error) {
    return [(error as Error).message];
  }
}
