import { Option } from 'commander';

/** An old name of an option. The old name is accepted, but the help does not show it. */
export function alias(flags: string, attribute: string): Option {
  const option = new Option(flags).hideHelp();
  option.attributeName = () => attribute;
  return option;
}
