import { useState } from "react";
import { packs, session, useSession } from "../../session";
import { upstreams, useUpstream } from "./upstreamStore";
import { useRequest } from "../../ui/useRequest";
import { SendDialog } from "../../ui/SendDialog";
import { FieldLabel } from "../../ui/FieldLabel";

/** Lets the pack follow another branch of its repository. */
export function FollowBranchDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const upstream = useUpstream((state) => state.upstream);
  const repository = upstream?.repository.id;
  const [branch, setBranch] = useState("");
  const { value: row, error } = useRequest(repository === undefined ? null : [repository], () =>
    packs.repository(repository!),
  );
  const branches = row?.branches.map((one) => one.name);
  const others = branches?.filter((name) => name !== upstream?.branch) ?? [];
  const chosen = branch || (others[0] ?? "");
  const follow = async () => {
    await packs.followBranch(pack, chosen);
    await upstreams.refresh();
    session.notify(`This pack follows the branch ${chosen}.`, "ok");
    close();
  };
  return (
    <SendDialog
      title="Follow another branch"
      close={close}
      send={follow}
      button="Follow"
      disabled={!chosen}
      failure={error}
    >
      <p className="help">
        The pack follows {upstream?.branch} now. Its history, layout and runs stay, and changes made
        here too.
      </p>
      {branches && others.length === 0 ? (
        <p role="status">The repository has no other branch. Fetch it to see newer ones.</p>
      ) : (
        <FieldLabel label="Branch">
          <select
            className="input mono"
            value={chosen}
            onChange={(event) => setBranch(event.target.value)}
          >
            {others.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </FieldLabel>
      )}
    </SendDialog>
  );
}
