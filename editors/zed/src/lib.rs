use zed_extension_api::{self as zed, LanguageServerId, Result, Worktree};

/// Starts `pm lsp`. Nothing is downloaded: without `pm` on the PATH it says how to install it.
struct Pommel;

impl zed::Extension for Pommel {
    fn new() -> Self {
        Pommel
    }

    fn language_server_command(
        &mut self,
        _language_server_id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<zed::Command> {
        let command = worktree
            .which("pm")
            .ok_or("pm is not on the PATH: Pommel's README says how to install it")?;
        Ok(zed::Command {
            command,
            args: vec!["lsp".into()],
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        language_server_id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<zed::serde_json::Value>> {
        let settings =
            zed::settings::LspSettings::for_worktree(language_server_id.as_ref(), worktree)?;
        Ok(settings.initialization_options)
    }
}

zed::register_extension!(Pommel);
