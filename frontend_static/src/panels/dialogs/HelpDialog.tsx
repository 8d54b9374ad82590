import { useCommands, type Command } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { Keys } from "./Keys";

const GROUPS: readonly Command["group"][] = [
  "Edit",
  "Canvas",
  "Select",
  "Go",
  "View",
  "Run",
  "Help",
];

/** All commands that have a key. */
export function HelpDialog({ close }: { close: () => void }) {
  const commands = useCommands().filter((command) => command.keys.length > 0);
  return (
    <Dialog wide title="Keyboard shortcuts" onClose={close}>
      <div className="shortcut-groups">
        {GROUPS.filter((group) => commands.some((one) => one.group === group)).map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commands
                .filter((one) => one.group === group)
                .map((one) => (
                  <div key={one.name}>
                    <dt>{one.title}</dt>
                    <dd>
                      <Keys keys={one.keys} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
